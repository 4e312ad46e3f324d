import type { Tool } from '@longhaul/core';
import { findHostProgram } from '@longhaul/core/host-programs';
import { createApplyPatchTool } from './apply-patch.ts';
import { type BashOptions, createBashTool } from './bash.ts';
import { createEditTool } from './edit.ts';
import { createFetchTool } from './fetch.ts';
import { createGlobTool, type GlobOptions } from './glob.ts';
import { createGrepTool, type GrepOptions } from './grep.ts';
import { createListTool, type ListOptions } from './list.ts';
import { createProcessTool } from './process.ts';
import { createReadTool, type ReadOptions } from './read.ts';
import { createRecallTool } from './recall.ts';
import { createSendTool } from './send.ts';
import { createTaskTool, type TaskOptions } from './task.ts';
import { createTodoTool, type TodoOptions } from './todo.ts';
import type { FetchOptions } from './web/fetch-page.ts';
import type { WorkspaceSearch } from './workspace-search.ts';
import { createWriteTool } from './write.ts';

/** Limits of the tools, as under `tools` in the configuration. */
export interface ToolsOptions {
  bash?: BashOptions;
  read?: ReadOptions;
  grep?: GrepOptions;
  list?: ListOptions;
  todo?: TodoOptions;
  glob?: GlobOptions;
  /** Adds the tool `fetch`, which reads web pages from this machine. Default: there is none. */
  fetch?: FetchOptions | undefined;
  /** Adds the tool `task`, which starts child sessions. Default: there is none. */
  task?: TaskOptions | undefined;
  /** Adds the tool `send`, which writes to other sessions. Default: there is none. */
  send?: boolean;
  /** The ripgrep program. `null` searches without it. Default: `rg` of PATH, but never one of the workspace. */
  ripgrep?: string | null;
}

/**
 * Creates the built-in tools. `bash`, `write`, `edit` and `apply_patch` run alone; the others can run at the same time.
 *
 * @example createTools({ bash: { timeoutMs: 120_000 } }).map((tool) => tool.schema)
 */
export function createTools(options: ToolsOptions = {}): Tool[] {
  const findSearch = createSearchFinder(options.ripgrep);
  return [
    createBashTool(options.bash),
    createProcessTool(),
    createReadTool(options.read),
    createWriteTool(),
    createEditTool(),
    createApplyPatchTool(),
    createListTool(options.list),
    createGlobTool(findSearch, options.glob),
    createGrepTool(findSearch, options.grep),
    createTodoTool(options.todo),
    createRecallTool(),
    ...(options.task === undefined ? [] : [createTaskTool(options.task)]),
    ...(options.fetch === undefined ? [] : [createFetchTool(options.fetch)]),
    ...(options.send === true ? [createSendTool()] : []),
  ];
}

/** Checks once, at the first search, whether ripgrep can be run. */
export function createSearchFinder(program?: string | null): () => Promise<WorkspaceSearch> {
  let search: Promise<WorkspaceSearch> | undefined;
  async function choose(): Promise<WorkspaceSearch> {
    const path = program === undefined ? findHostProgram('rg') : program;
    if (path !== null && path !== undefined) {
      const [{ createRipgrepSearch }, { hasRipgrep }] = await Promise.all([
        import('./ripgrep-search.ts'),
        import('./ripgrep-process.ts'),
      ]);
      if (await hasRipgrep(path)) return createRipgrepSearch(path);
    }
    const { createPlainSearch } = await import('./plain-search.ts');
    return createPlainSearch();
  }
  return () => {
    search ??= choose();
    return search;
  };
}
