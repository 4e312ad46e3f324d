import { showDirections } from '@longhaul/protocol';
import type { Token, Tokens } from 'marked';
import type { ReactNode } from 'react';
import { inlineOf } from './lex.ts';
import { safeLink } from './safe-link.ts';

/** Renders what is inside a line of Markdown. Images are links, so that no text makes the page load an address. */
export function Inline({ tokens }: { tokens: readonly Token[] }): ReactNode {
  return inlineOf(tokens).map((token, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: tokens of a line do not move
    <InlineToken key={index} token={token as Known} />
  ));
}

type Known =
  | Tokens.Strong
  | Tokens.Em
  | Tokens.Del
  | Tokens.Codespan
  | Tokens.Br
  | Tokens.Checkbox
  | Tokens.Link
  | Tokens.Image
  | Tokens.Text
  | Tokens.Escape
  | Tokens.HTML
  | Tokens.Tag;

function InlineToken({ token }: { token: Known }): ReactNode {
  switch (token.type) {
    case 'strong':
      return (
        <strong>
          <Inline tokens={token.tokens} />
        </strong>
      );
    case 'em':
      return (
        <em>
          <Inline tokens={token.tokens} />
        </em>
      );
    case 'del':
      return (
        <del>
          <Inline tokens={token.tokens} />
        </del>
      );
    case 'codespan':
      return <code>{token.text}</code>;
    // The item of the list has it.
    case 'checkbox':
      return null;
    case 'br':
      return <br />;
    case 'link':
      return (
        <Anchor href={token.href}>
          <Inline tokens={token.tokens} />
        </Anchor>
      );
    case 'image':
      return <Anchor href={token.href}>{token.text || token.href}</Anchor>;
    case 'text':
      return token.tokens === undefined ? showDirections(token.text) : <Inline tokens={token.tokens} />;
    case 'escape':
      return showDirections(token.text);
    default:
      return showDirections((token as Token).raw);
  }
}

function Anchor({ href, children }: { href: string; children: ReactNode }) {
  const safe = safeLink(href);
  if (safe === undefined) return <span className="unsafe-link">{children}</span>;
  return (
    <a href={safe} target="_blank" rel="noopener noreferrer nofollow" title={safe}>
      {children}
    </a>
  );
}
