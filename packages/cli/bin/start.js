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
  const outputs = process.versions.bun === undefined ? [] : [process.stdout, process.stderr].map(watched);
  const code = await main(argv);
  // Output to files, pipes and terminals is written when `main` is done; open connections need not be waited for.
  await Promise.all(outputs.map(ended));
  process.exit(code);
}

/** Bun closes a stream when a write fails. */
function watched(stream) {
  return { stream, closed: new Promise((resolve) => stream.once('close', resolve)) };
}

/** Bun calls back from an empty write before the earlier ones are done, and from an end after them; never if closed. */
function ended({ stream, closed }) {
  return Promise.race([closed, new Promise((resolve) => stream.end(() => resolve()))]);
}
