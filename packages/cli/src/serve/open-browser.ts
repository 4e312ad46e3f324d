import { spawn } from 'node:child_process';
import { findHostProgram, hostPath } from '@longhaul/core/host-programs';
import type { Terminal } from '../terminal.ts';

/** What a desktop's opener needs to find the browser and the screen. Keys of providers are not passed. */
const PASSED =
  /^(?:HOME|USER|LOGNAME|LANG|LC_\w+|TMPDIR|DISPLAY|XAUTHORITY|BROWSER|DESKTOP_SESSION|DBUS_SESSION_BUS_ADDRESS|WAYLAND_DISPLAY|XDG_\w+|GNOME_\w+|KDE_\w+|WSL\w*|VSCODE_IPC_HOOK_CLI|SystemRoot|USERPROFILE|LOCALAPPDATA|APPDATA)$/;

/**
 * Opens an address in the browser of the desktop. Returns false if this machine has no desktop, or no program that
 * opens addresses. It does not wait for the browser.
 */
export async function openBrowser(address: string, { env }: Pick<Terminal, 'env'>): Promise<boolean> {
  const opener = findOpener(env);
  if (opener === undefined) return false;
  const passed = Object.entries(env).filter(([name]) => PASSED.test(name));
  const child = spawn(opener.program, [...opener.arguments, address], {
    cwd: '/',
    env: { ...Object.fromEntries(passed), PATH: hostPath(env['PATH']) },
    stdio: 'ignore',
    detached: true,
  });
  const started = new Promise<boolean>((resolve) => {
    child.once('spawn', () => resolve(true));
    child.once('error', () => resolve(false));
  });
  child.unref();
  return await started;
}

interface Opener {
  program: string;
  arguments: readonly string[];
}

function findOpener(env: Terminal['env']): Opener | undefined {
  for (const [name = '', ...args] of openersOf(env)) {
    const program = findHostProgram(name, env['PATH']);
    if (program !== undefined) return { program, arguments: args };
  }
  return undefined;
}

function openersOf(env: Terminal['env']): readonly (readonly string[])[] {
  if (process.platform === 'darwin') return [['open']];
  if (process.platform === 'win32') return [['rundll32', 'url.dll,FileProtocolHandler']];
  const wsl = env['WSL_DISTRO_NAME'] === undefined ? [] : [['wslview']];
  // Without a screen, the opener would start a browser for terminals in this one.
  const hasScreen = ['DISPLAY', 'WAYLAND_DISPLAY', 'BROWSER'].some((name) => (env[name] ?? '') !== '');
  return hasScreen ? [...wsl, ['xdg-open']] : wsl;
}
