import { LonghaulError } from '@longhaul/protocol';

/** Marks every process of a command, so that children which left its session and its parents are found again. */
export const COMMAND_VARIABLE = 'LONGHAUL_COMMAND';

/** Commands run without a person: no colours, no pagers, no questions. */
const QUIET = {
  LANG: 'C.UTF-8',
  TERM: 'dumb',
  NO_COLOR: '1',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  DEBIAN_FRONTEND: 'noninteractive',
  // The workspace may belong to another user than the one inside; Git would refuse to work in it.
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'safe.directory',
  GIT_CONFIG_VALUE_0: '*',
};

/**
 * The whole environment of a command: what keeps programs quiet, then the driver's own, then the user's.
 *
 * @throws {LonghaulError} `invalid_request` for a name or value that no environment can hold.
 */
export function commandEnvironment(
  driver: Readonly<Record<string, string>>,
  user: Readonly<Record<string, string>>,
): Record<string, string> {
  for (const [name, value] of Object.entries(user)) {
    if (name === '' || /[=\0]/.test(name) || value.includes('\0')) {
      throw new LonghaulError(
        'invalid_request',
        `${JSON.stringify(name)} cannot be an environment variable of the sandbox: a name has no "=", and neither name nor value has NUL.`,
      );
    }
  }
  return { ...QUIET, ...driver, ...user };
}
