import { LonghaulError } from '@longhaul/protocol';

/** Marks every process of a command, so that children that have left its session and its parents can still be found. */
export const COMMAND_VARIABLE = 'LONGHAUL_COMMAND';

/** Commands run unattended: no colours, no pagers, no questions. */
const QUIET = {
  LANG: 'C.UTF-8',
  TERM: 'dumb',
  NO_COLOR: '1',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  DEBIAN_FRONTEND: 'noninteractive',
};

type Variables = Readonly<Record<string, string>>;

/**
 * Returns the whole environment of a command: what it inherits, then the quiet defaults, then the driver's variables,
 * then the user's. Later ones win.
 *
 * @throws {LonghaulError} `invalid_request` for a name or value that no environment can hold.
 */
export function commandEnvironment(
  driver: Variables,
  { env: user, inherited = {} }: { env: Variables; inherited?: Variables | undefined },
): Record<string, string> {
  for (const [name, value] of Object.entries(user)) {
    if (name === '' || /[=\0]/.test(name) || value.includes('\0')) {
      throw new LonghaulError(
        'invalid_request',
        `${JSON.stringify(name)} cannot be an environment variable of the sandbox: a name must not be empty or contain "=", and neither name nor value may contain NUL.`,
      );
    }
  }
  const { LANG = QUIET.LANG } = inherited;
  return { ...inherited, ...QUIET, LANG, ...gitSettings(inherited), ...driver, ...user };
}

/** The user inside may not own the workspace; Git would refuse to work in it. Keeps inherited settings. */
function gitSettings({ GIT_CONFIG_COUNT = '0' }: Variables): Record<string, string> {
  const count = /^\d+$/.test(GIT_CONFIG_COUNT) ? Number(GIT_CONFIG_COUNT) : 0;
  return {
    GIT_CONFIG_COUNT: String(count + 1),
    [`GIT_CONFIG_KEY_${count}`]: 'safe.directory',
    [`GIT_CONFIG_VALUE_${count}`]: '*',
  };
}
