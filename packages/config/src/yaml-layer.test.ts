import { expect, it } from 'vitest';
import { parseYamlLayer } from './yaml-layer.ts';

const invalid = (text: string) => {
  try {
    return `valid: ${JSON.stringify(parseYamlLayer('x.yml', text).value).slice(0, 40)}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

it.each([
  ['brackets', '['.repeat(60_000)],
  ['braces', '{a: '.repeat(15_000)],
  ['keys in a line', '? '.repeat(30_000)],
  ['lists in a line', `a: 1\nb:\n  ${'- '.repeat(30_000)}`],
])('refuses deeply nested %s before it parses them', (_, text) => {
  expect(invalid(text)).toMatch(
    /^x\.yml:\d+:\d+: this is not valid YAML: it is nested more than 50 levels deep\.$/,
  );
});

it('accepts brackets and dashes in text, and many lists', () => {
  expect(invalid(`a: "${'['.repeat(100)}"\nb: x${' -'.repeat(100)} x\n`)).not.toContain('nested more');
  expect(parseYamlLayer('x.yml', 'a:\n- 1\n'.concat('- 1\n'.repeat(200))).value).toMatchObject({
    a: expect.any(Array),
  });
});

it('reports a repeated key with its position', () => {
  expect(invalid('a: 1\nb: { c: 1, c: 2 }\n')).toBe(
    'x.yml:2:12: this is not valid YAML: Map keys must be unique.',
  );
  expect(invalid('a: { c: 1 }\nb: { c: 2 }\n')).toMatch(/^valid/);
});
