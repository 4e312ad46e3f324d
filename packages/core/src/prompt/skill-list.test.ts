import { expect, it } from 'vitest';
import { skillList } from './skill-list.ts';

const skills = (count: number, description = 'd'.repeat(200)) =>
  Array.from({ length: count }, (_, index) => ({ name: `s${index}`, description }));

it('lists names and descriptions', () => {
  expect(skillList(skills(2, 'what'))).toContain('- s0: what\n- s1: what');
});

it('cuts descriptions, then leaves out skills and gives their number', () => {
  const some = skillList(skills(10), 6_400);
  expect(some).toContain('- s9: d');
  expect(some).toContain('d…');
  const few = skillList(skills(100), 6_400);
  expect(few.length).toBeLessThan(1_500);
  expect(few).toMatch(/- and \d+ more: `skill` with the name `list` lists all\.$/);
});
