export { demoScript, demoScript as script, SUMMARY_REQUEST } from './demo-script.ts';
export { DEMO_TASK, DEMO_TASK_WITH_CHILDREN, DEMO_VERIFY_COMMAND } from './task.ts';

/** This module's URL, for the `scriptModule` option of `startScriptedModelProcess`. */
export const DEMO_SCRIPT_MODULE = import.meta.url;
