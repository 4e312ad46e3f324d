/** Git knows neither empty folders nor modes other than whether a file is executable. */
export function asGitSees(files: Record<string, string>): Record<string, string> {
  const entries = Object.entries(files).filter(([, text]) => !text.startsWith('folder '));
  return Object.fromEntries(
    entries.map(([path, text]) => [
      path,
      text.replace(
        /^file (\d+)/,
        (_, mode) => `file ${(Number.parseInt(mode, 8) & 0o100) === 0 ? '-' : 'x'}`,
      ),
    ]),
  );
}
