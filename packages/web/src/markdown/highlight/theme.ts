import type { ThemeRegistration } from 'shiki/core';

/** The kinds of colours and what has them, as scopes of grammars. The style sheet has a colour for each kind. */
const SCOPES = {
  comment: ['comment', 'punctuation.definition.comment'],
  string: ['string', 'punctuation.definition.string', 'markup.inline.raw'],
  constant: ['constant', 'support.constant', 'variable.language', 'string constant.character.escape'],
  keyword: ['keyword', 'storage', 'punctuation.definition.template-expression'],
  function: ['entity.name.function', 'support.function', 'meta.function-call.generic'],
  type: [
    'entity.name.type',
    'entity.name.class',
    'entity.other.inherited-class',
    'support.type',
    'support.class',
  ],
  tag: ['entity.name.tag', 'markup.heading', 'entity.name.section'],
  attribute: ['entity.other.attribute-name', 'support.type.property-name', 'meta.object-literal.key'],
  parameter: ['variable.parameter'],
  link: ['markup.underline.link', 'string.other.link'],
  inserted: ['markup.inserted'],
  deleted: ['markup.deleted'],
  changed: ['markup.changed', 'meta.diff.range'],
} as const;

const KINDS = Object.entries(SCOPES);

/** A theme whose colours are the numbers of kinds, so that the page chooses the colours, in light and in dark. */
export const theme: ThemeRegistration = {
  name: 'page',
  fg: '#000000',
  bg: '#ffffff',
  settings: KINDS.map(([, scope], index) => ({
    scope: [...scope],
    settings: { foreground: colourOf(index) },
  })),
};

/** The kind of a colour of the theme. Empty for the colour of text. */
export function kindOf(colour: string | undefined): string {
  const number = Number.parseInt((colour ?? '').slice(1), 16);
  return KINDS[number - 1]?.[0] ?? '';
}

function colourOf(index: number): string {
  return `#${(index + 1).toString(16).padStart(6, '0')}`;
}
