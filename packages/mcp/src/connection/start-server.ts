import type { ServerSettings } from '../server-settings.ts';
import { startHostProcess } from './host-process.ts';
import { startSandboxedProcess } from './sandboxed-process.ts';
import type { ServerOutput, ServerPlace, ServerProcess } from './server-process.ts';

/** Starts a server where its settings want it: on this machine, or in a sandbox. */
export function startServer(
  settings: ServerSettings,
  place: ServerPlace,
  output: ServerOutput,
): Promise<ServerProcess> {
  if (settings.sandbox === true) return startSandboxedProcess(settings, place, output);
  return startHostProcess(settings, place, output);
}
