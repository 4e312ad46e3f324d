import type { SkillSource } from '@longhaul/core';

/** A folder that is not a usable skill, for people. */
export interface SkillProblem {
  name: string;
  folder: string;
  problem: string;
}

export interface LoadedSkills {
  source: SkillSource;
  problems: SkillProblem[];
}
