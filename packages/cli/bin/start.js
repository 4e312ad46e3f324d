// What every start of the program does, whatever loads it.
import { delimiter, isAbsolute } from 'node:path';

/** With `.` in PATH, a program of the workspace named `git` or `rg` would run in place of the installed one. */
export function ignoreRelativeFolders() {
  const folders = process.env.PATH?.split(delimiter).filter((folder) => isAbsolute(folder)) ?? [];
  // An empty PATH means the current folder, a missing one those of the system.
  if (folders.length === 0) delete process.env.PATH;
  else process.env.PATH = folders.join(delimiter);
}

/** Runs the program to its end. */
export async function run(main, argv) {
  const code = await main(argv);
  // Output to files, pipes and terminals is written when `main` is done; open connections need not be waited for.
  if (process.versions.bun !== undefined) await Promise.all([process.stdout, process.stderr].map(ended));
  process.exit(code);
}

/** Bun calls back from an empty write before the earlier ones are done, and from an end after them. */
function ended(stream) {
  return new Promise((resolve) => {
    stream.end(() => resolve());
  });
}
