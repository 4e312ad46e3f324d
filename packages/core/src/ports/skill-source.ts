import type { Tool } from './tool.ts';

/** A skill that a model can read: instructions for one kind of work. */
export interface Skill {
  name: string;
  /** When to use it, on one line. */
  description: string;
  /** Of the workspace, or the user's own, which the agent's sandbox does not have. */
  origin: 'project' | 'user';
  /** Its folder: relative to the workspace if it is the project's, else absolute. */
  folder: string;
}

/** The instructions of a skill, or the reason why they cannot be read. */
export type SkillText = { text: string } | { problem: string };

/** The skills of one session. */
export interface SkillSource {
  readonly skills: readonly Skill[];
  /**
   * Reads the instructions of a skill as they are on disk now, or another file of its folder. Does not throw: the
   * problem is for the model.
   */
  read(name: string, file?: string): Promise<SkillText>;
}

/** The skills of a session, and the tool that reads them. */
export interface SessionSkills {
  source: SkillSource;
  tool: Tool;
}
