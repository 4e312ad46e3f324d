import type { WorkspaceSkills } from '@longhaul/protocol/api';
import { SettingTable } from './setting-table.tsx';

/** The skills of the first workspace, and the folders that cannot be used as skills, such as those that are not trusted. */
export function SkillTable({ list: { skills, problems } }: { list: WorkspaceSkills }) {
  if (skills.length + problems.length === 0) {
    return (
      <p className="quiet">
        There are none. A skill is a folder with a <code>SKILL.md</code>, such as{' '}
        <code>.agents/skills/NAME/SKILL.md</code>.
      </p>
    );
  }
  return (
    <SettingTable
      label="Skills"
      heads={['Skill', 'Origin', 'When the agent uses it']}
      rows={[
        ...skills.map(({ name, folder, origin, description }) => ({
          key: `usable ${name}`,
          cells: [nameCell(name, folder), ORIGINS[origin], description],
        })),
        ...problems.map(({ name, folder, problem }, index) => ({
          key: `unusable ${index}`,
          cells: [nameCell(name, folder), 'not used', reason(problem)],
        })),
      ]}
    />
  );
}

/** A skill of the workspace that is used is trusted. */
const ORIGINS: Readonly<Record<WorkspaceSkills['skills'][number]['origin'], string>> = {
  project: 'this workspace, trusted',
  user: 'your own',
};

function nameCell(name: string, folder: string) {
  return (
    <>
      <code>{name}</code>
      <p className="quiet">{folder}</p>
    </>
  );
}

function reason(problem: string) {
  return <p className="warn">{problem}</p>;
}
