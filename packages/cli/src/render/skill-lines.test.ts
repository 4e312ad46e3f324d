import { expect, it } from 'vitest';
import { skillLines } from './skill-lines.ts';

it('lists skills with their origin, and folders with the reason', () => {
  const skills = [
    { name: 'a', description: 'When b.', origin: 'project' as const, folder: '.agents/skills/a' },
  ];
  const problems = [{ name: 'c', folder: '/w/c', problem: 'is not trusted' }];
  expect(skillLines({ skills, problems })).toEqual([
    '  a (project): When b.',
    '  c cannot be used: is not trusted (/w/c)',
  ]);
});

it('says what a skill is if there are none', () => {
  expect(skillLines({ skills: [], problems: [] })).toEqual([expect.stringContaining('There are no skills.')]);
});
