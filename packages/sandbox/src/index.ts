export { divideServiceCgroup } from './bubblewrap/service-cgroup.ts';
export { AUTOMATIC_KINDS, type ChooseSandboxHooks, chooseSandbox } from './choose-sandbox.ts';
export { killOrphans, markedEnvironment } from './command/command-mark.ts';
export { createSandboxDriver } from './create-sandbox-driver.ts';
export { type RootFolder, rememberRoot } from './files/root-folder.ts';
export { createWorkspaceFiles } from './files/workspace-files.ts';
