export { demoScript, demoScript as script, SUMMARY_REQUEST } from './demo-script.ts';
export { DEMO_TASK, DEMO_VERIFY_COMMAND } from './task.ts';

/** This module's URL: what `startScriptedModelProcess` takes as its `scriptModule`. */
export const DEMO_SCRIPT_MODULE = import.meta.url;
