import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { ParsedCommand, ParsedLine } from '@longhaul/approvals';
import type { Node } from '@vscode/tree-sitter-wasm';

/** Loads tree-sitter's grammar of bash as a parser for the approval rules. */
export async function loadTreeSitterParser(): Promise<(line: string) => ParsedLine> {
  // A CommonJS module that defines its exports when it runs.
  const { default: treeSitter } = await import('@vscode/tree-sitter-wasm');
  const { Parser, Language } = treeSitter;
  const folder = dirname(createRequire(import.meta.url).resolve('@vscode/tree-sitter-wasm'));
  await Parser.init();
  const parser = new Parser();
  parser.setLanguage(await Language.load(join(folder, 'tree-sitter-bash.wasm')));
  return (line) => {
    const tree = parser.parse(line);
    if (tree === null) return { commands: [], isCertain: false };
    const commands = tree.rootNode
      .descendantsOfType(COMMANDS)
      .flatMap((node) => (node === null ? [] : [toCommand(node)]));
    const parsed = { commands, isCertain: !tree.rootNode.hasError };
    tree.delete();
    return parsed;
  };
}

/** Everything that can run a program or change the environment of one. */
const COMMANDS = ['command', 'declaration_command', 'unset_command', 'test_command'];
const REDIRECTS = new Set(['file_redirect', 'herestring_redirect', 'heredoc_redirect']);

function toCommand(node: Node): ParsedCommand {
  const children = node.children.flatMap((child) => (child === null ? [] : [child]));
  const around = node.parent?.type === 'redirected_statement' ? node.parent.children : [];
  const redirects = [...children, ...around].flatMap((child) =>
    child?.type === 'file_redirect' ? [child.text] : [],
  );
  const words = children.filter(({ type }) => !REDIRECTS.has(type)).map(({ text }) => text);
  return {
    words: words.map(unquote),
    expands: words.map((word) => /[$`*?[{~]/.test(word)),
    inputs: [],
    writes: redirects.flatMap(writtenFile),
    source: node.text,
  };
}

function writtenFile(redirect: string): string[] {
  const target = /^\d*&?>[>|&]?\s*(.+)$/s.exec(redirect)?.[1];
  return target === undefined || target === '/dev/null' || /^\d+-?$/.test(target) ? [] : [target];
}

/** Removes the quotes and escapes that do not change a word. */
function unquote(text: string): string {
  return text.replace(
    /'([^']*)'|"([^"\\$`]*)"|\\(.)/gs,
    (_, single, double, escaped) => single ?? double ?? escaped,
  );
}
