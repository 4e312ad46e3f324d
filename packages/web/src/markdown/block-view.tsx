import { showDirections } from '@longhaul/protocol';
import type { Token, Tokens } from 'marked';
import { memo, type ReactNode } from 'react';
import type { Block } from './blocks.ts';
import { CodeBlock } from './code-block.tsx';
import { Inline } from './inline.tsx';

interface BlockProps {
  token: Block;
  /** Whether the block is still being written. */
  isOpen?: boolean;
}

/** Renders a block of Markdown. Kinds that are not known here are shown as their text. */
export function BlockView({ token, isOpen = false }: BlockProps): ReactNode {
  const known = token as Known;
  switch (known.type) {
    case 'space':
    case 'def':
    case 'checkbox':
      return null;
    case 'heading':
      return <Heading depth={known.depth} tokens={known.tokens} />;
    case 'paragraph':
      return (
        <p>
          <Inline tokens={known.tokens} />
        </p>
      );
    case 'text':
      return known.tokens === undefined ? showDirections(known.text) : <Inline tokens={known.tokens} />;
    case 'code':
      return <CodeBlock code={known.text} language={known.lang ?? ''} isOpen={isOpen} />;
    case 'blockquote':
      return <blockquote>{known.tokens.map(blockOf)}</blockquote>;
    case 'list':
      return <List list={known} />;
    case 'table':
      return <Table table={known} />;
    case 'hr':
      return <hr />;
    default:
      return <p className="markdown-raw">{token.raw}</p>;
  }
}

type Known =
  | Tokens.Space
  | Tokens.Def
  | Tokens.Checkbox
  | Tokens.Heading
  | Tokens.Paragraph
  | Tokens.Text
  | Tokens.Code
  | Tokens.Blockquote
  | Tokens.List
  | Tokens.Table
  | Tokens.Hr;

function blockOf(token: Token, index: number): ReactNode {
  return <BlockView key={index} token={token} />;
}

/** Headings of an answer begin below those of the page. */
function Heading({ depth, tokens }: { depth: number; tokens: Token[] }) {
  const Name = `h${Math.min(6, depth + 1)}` as 'h2' | 'h3' | 'h4' | 'h5' | 'h6';
  return (
    <Name>
      <Inline tokens={tokens} />
    </Name>
  );
}

function List({ list: { ordered, start, items } }: { list: Tokens.List }) {
  const entries = items.map((item, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: items are only added at the end
    <KeptItem key={index} item={item} />
  ));
  return ordered ? <ol start={start === '' ? 1 : start}>{entries}</ol> : <ul>{entries}</ul>;
}

const KeptItem = memo(
  ({ item }: { item: Tokens.ListItem }) => (
    <li className={item.task ? 'task' : undefined}>
      {item.task && <input type="checkbox" checked={item.checked === true} disabled aria-label="Done" />}
      {item.tokens.map(blockOf)}
    </li>
  ),
  (a, b) => a.item.raw === b.item.raw && a.item.loose === b.item.loose,
);

function Table({ table: { header, rows, align } }: { table: Tokens.Table }) {
  const style = (column: number) => ({ textAlign: align[column] ?? undefined });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled with the keyboard
    <div className="table-scroll" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {header.map((cell, column) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns do not move
              <th key={column} style={style(column)}>
                <Inline tokens={cell.tokens} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows are only added at the end
            <tr key={index}>
              {row.map((cell, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns do not move
                <td key={column} style={style(column)}>
                  <Inline tokens={cell.tokens} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
