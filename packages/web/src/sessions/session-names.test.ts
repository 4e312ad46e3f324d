import { describe, expect, it } from 'vitest';
import { exportName, folderName, sessionName } from './session-names.ts';
import { inWorkspace, workspacesOf } from './workspaces.ts';

describe('sessionName', () => {
  it('is the title, or the first line of the task', () => {
    expect(sessionName({ title: 'Title', task: 'Task' })).toBe('Title');
    expect(sessionName({ title: '', task: '\n First line\nsecond' })).toBe('First line');
    expect(sessionName({ title: '  ', task: '' })).toBe('Untitled');
    expect(sessionName({})).toBe('Untitled');
  });

  it('cuts a long name between characters', () => {
    const name = sessionName({ title: '😀'.repeat(200) });
    expect(name.length).toBeLessThanOrEqual(120);
    expect(name.isWellFormed()).toBe(true);
    expect(name.endsWith('…')).toBe(true);
  });
});

describe('exportName', () => {
  it.each([
    ['Fix the parser', 'Fix the parser.json'],
    ['../../etc/passwd', 'etc passwd.json'],
    ['a<b>:"c"|d?*\u0000\u202e', 'a b c d.json'],
    ['…', 'session.json'],
    ['Größe 大', 'Größe 大.json'],
  ])('%j: %s', (title, name) => {
    expect(exportName({ title })).toBe(name);
  });
});

describe('folders', () => {
  it('names a folder by its last part', () => {
    expect(folderName('/work/project/')).toBe('project');
    expect(folderName('C:\\work\\project')).toBe('project');
    expect(folderName('/')).toBe('/');
  });

  it('lists each workspace once', () => {
    expect(workspacesOf([{ workspace: '/b' }, { workspace: '/a' }, { workspace: '/b' }])).toEqual([
      '/a',
      '/b',
    ]);
  });

  it('finds sessions in a folder and below it', () => {
    expect(inWorkspace({ workspace: '/a' }, '')).toBe(true);
    expect(inWorkspace({ workspace: '/a/b' }, '/a')).toBe(true);
    expect(inWorkspace({ workspace: '/ab' }, '/a')).toBe(false);
    expect(inWorkspace({ workspace: 'C:\\a\\b' }, 'C:\\a')).toBe(true);
  });
});
