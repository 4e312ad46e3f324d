import type { Tool } from '@longhaul/core';
import { EditorFiles, type EditorFilesOptions } from './editor-files.ts';

/** Tools that work on named files. Searches read what is saved: an editor is not asked for every file. */
const FILE_TOOLS: ReadonlySet<string> = new Set(['read', 'write', 'edit', 'apply_patch', 'bash']);

/**
 * Returns the tools, of which those that work on named files see and write the editor's buffers. Commands always run in
 * the sandbox, never in a terminal of the editor, which would run them outside of it.
 */
export function editorTools(
  tools: readonly Tool[],
  options: Omit<EditorFilesOptions, 'signal'>,
): readonly Tool[] {
  const { readsFiles, writesFiles } = options.link.features;
  if (!readsFiles && !writesFiles) return tools;
  return tools.map((tool) => (FILE_TOOLS.has(tool.name) ? withBuffers(tool, options) : tool));
}

function withBuffers(tool: Tool, options: Omit<EditorFilesOptions, 'signal'>): Tool {
  return {
    ...tool,
    execute(input, context) {
      const { sandbox, signal } = context;
      const toolFiles = new EditorFiles(sandbox.toolFiles, { ...options, signal });
      return tool.execute(input, {
        ...context,
        sandbox: {
          kind: sandbox.kind,
          workspacePath: sandbox.workspacePath,
          description: sandbox.description,
          platform: sandbox.platform,
          rules: sandbox.rules,
          files: sandbox.files,
          toolFiles,
          async exec(command, execOptions) {
            toolFiles.forget();
            return await sandbox.exec(command, execOptions);
          },
          async start(command, processOptions) {
            toolFiles.forget();
            return await sandbox.start(command, processOptions);
          },
          [Symbol.asyncDispose]: () => sandbox[Symbol.asyncDispose](),
        },
      });
    },
  };
}
