/** The task of `/init`. */
export const INIT_PROMPT = `Look at this project, and write AGENTS.md in its root. It must contain what an agent needs to know when it works here for the first time.

Read the files that describe how the project is built, tested and laid out: manifests, build files, CI configuration, README, existing instructions for agents. Run the tests or the build if that is cheap, to check that the commands work.

Write at most 60 lines: one sentence on what the project is; the commands to build, lint, test, and run a single test; where things are; conventions of the code that a newcomer would break; and what to be careful with. State only what you have seen. If AGENTS.md exists, correct and complete it, and keep what is still true.`;
