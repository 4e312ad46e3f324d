import type { ProcessOptions, Sandbox, SandboxProcess } from '../ports/index.ts';

/**
 * Returns the sandbox of a parent for a child. Disposing it ends the commands that the child has started beside its
 * work, and nothing else. Commands of the child cannot outlive its run.
 */
export function borrowSandbox(sandbox: Sandbox): Sandbox {
  const started = new Set<SandboxProcess>();
  const { kind, workspacePath, description, platform, rules, files, toolFiles } = sandbox;
  return {
    kind,
    workspacePath,
    description,
    files,
    toolFiles,
    ...(platform !== undefined && { platform }),
    ...(rules !== undefined && { rules }),
    exec: (command, options) => sandbox.exec(command, options),
    async start(command: string, options: ProcessOptions) {
      const process = await sandbox.start(command, options);
      started.add(process);
      return process;
    },
    async [Symbol.asyncDispose]() {
      await Promise.allSettled([...started].map((process) => process.stop()));
    },
  };
}
