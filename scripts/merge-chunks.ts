import type { CodeSplittingGroup, OutputChunk } from 'rolldown';

/**
 * Returns groups that merge chunks which are loaded together: loading a file takes about half a millisecond of
 * processor time, and a run would load more than a hundred.
 *
 * A group consists of the chunks that its modules load statically, without those of earlier groups and of modules that
 * stay apart. So chunks never import each other in a circle, and a module that is loaded lazily stays outside unless
 * it is a root of the group. What a branch and a later group both load is a group of its own, before the first branch:
 * the later group does not load the branch.
 *
 * @param chunks The chunks of the bundle without groups.
 * @param options.apart Modules whose chunks stay as they are, because they are loaded without any group.
 * @param options.groups For each name, the modules that the group loads, as ends of their paths.
 * @param options.branches Names of groups without which the later groups are loaded.
 */
export function mergeChunks(chunks: readonly OutputChunk[], options: MergeOptions): CodeSplittingGroup[] {
  const { apart, groups, branches } = options;
  const byFile = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const taken = new Set<OutputChunk>();
  const reach = (modules: readonly string[], known: Set<OutputChunk>) =>
    modules.flatMap((module) => loadedWith(chunkOf(module, chunks), { byFile, taken: known }));
  reach(apart, taken);
  const names = Object.keys(groups);
  const modulesOf = (wanted: readonly string[]) => wanted.flatMap((name) => groups[name] ?? []);
  return names.flatMap((name, index) => {
    const made: CodeSplittingGroup[] = [];
    if (branches.includes(name)) {
      const later = names.slice(index).filter((each) => !branches.includes(each));
      const others = new Set(reach(modulesOf(later), new Set(taken)));
      const shared = reach(modulesOf([name]), new Set(taken)).filter((chunk) => others.has(chunk));
      for (const chunk of shared) taken.add(chunk);
      made.push(groupOf(`shared-${name}`, shared));
    }
    return [...made, groupOf(name, reach(modulesOf([name]), taken))];
  });
}

export interface MergeOptions {
  apart: readonly string[];
  groups: Readonly<Record<string, readonly string[]>>;
  branches: readonly string[];
}

function groupOf(name: string, chunks: readonly OutputChunk[]): CodeSplittingGroup {
  const ids = new Set(chunks.flatMap(({ moduleIds }) => moduleIds));
  return { name, test: (id: string) => ids.has(id), includeDependenciesRecursively: false };
}

function chunkOf(module: string, chunks: readonly OutputChunk[]): OutputChunk {
  const chunk = chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(`/${module}`)));
  if (chunk === undefined)
    throw new Error(`The bundle has no module ${module}. Correct its name in bundle-cli.ts.`);
  return chunk;
}

/** Returns a chunk and those that it imports statically, without the chunks in `taken`, and adds them to it. */
function loadedWith(
  chunk: OutputChunk,
  { byFile, taken }: { byFile: ReadonlyMap<string, OutputChunk>; taken: Set<OutputChunk> },
): OutputChunk[] {
  if (taken.has(chunk)) return [];
  taken.add(chunk);
  const imported = chunk.imports.flatMap((file) => byFile.get(file) ?? []);
  return [chunk, ...imported.flatMap((each) => loadedWith(each, { byFile, taken }))];
}
