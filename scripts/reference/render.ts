import type { Exported } from './exported.ts';

/** Writes the reference of one module as Markdown: each name with its docstring and its declaration. */
export function renderReference(name: string, exported: readonly Exported[]): string {
  const sorted = exported.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return `${[`# ${name}`, ...sorted.map(renderOne)].join('\n\n')}\n`;
}

function renderOne({ name, doc = '', text }: Exported): string {
  const declaration = text.replace(/^export (?:declare )?/, '');
  return [`## ${name}`, renderDoc(doc), `\`\`\`ts\n${declaration}\n\`\`\``]
    .filter((part) => part !== '')
    .join('\n\n');
}

const TAGS: Readonly<Record<string, (text: string) => string>> = {
  param: (text) => text.replace(/^(\S+)\s*/, '- `$1`: '),
  returns: (text) => `Returns ${text}`,
  throws: (text) => `Throws ${text.replace(/^\{(\w+)\}\s*/, '`$1`: ')}`,
  example: (text) => `\`\`\`ts\n${text}\n\`\`\``,
};

/** Writes the tags of a docstring as Markdown. A tag ends at the next one. */
function renderDoc(doc: string): string {
  const [text = '', ...tags] = doc.split(/^@/m);
  const rendered = tags.map((tag) => {
    const [, name = '', rest = ''] = /^(\w+)\s*([\s\S]*)$/.exec(tag) ?? [];
    return TAGS[name]?.(rest.trim()) ?? `@${tag.trim()}`;
  });
  return [text.trim(), ...rendered].filter((part) => part !== '').join('\n\n');
}
