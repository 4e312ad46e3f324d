// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { SkillTable } from './skill-table.tsx';

afterEach(cleanup);

it('shows the origin of each skill, and why a folder is not used', () => {
  const skills = [
    {
      name: 'release',
      description: 'To publish.',
      origin: 'project' as const,
      folder: '.agents/skills/release',
    },
    { name: 'review', description: 'To review.', origin: 'user' as const, folder: '/home/me/review' },
  ];
  const problems = [{ name: 'evil', folder: '/work/evil', problem: 'is not trusted' }];
  render(<SkillTable list={{ skills, problems }} />);
  const rows = screen.getAllByRole('row').map(({ textContent }) => textContent);
  expect(rows.slice(1)).toEqual([
    'release.agents/skills/releasethis workspace, trustedTo publish.',
    'review/home/me/reviewyour ownTo review.',
    'evil/work/evilnot usedis not trusted',
  ]);
});

it('says what a skill is if there are none', () => {
  render(<SkillTable list={{ skills: [], problems: [] }} />);
  expect(screen.getByText(/There are none\./).textContent).toContain('.agents/skills/NAME/SKILL.md');
});
