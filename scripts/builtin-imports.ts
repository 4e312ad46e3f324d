import { isBuiltin } from 'node:module';
import type { Plugin } from 'rolldown';

const IMPORT = /^import (?<clause>[^"'\n]+) from "(?<name>[^"\n]+)";$/gm;
const CLAUSE = /^(?:(?<main>[\w$]+)(?:, )?)?(?:\* as (?<all>[\w$]+)|\{(?<some>[^}]*)\})?$/;

/**
 * Takes Node's own modules from `process.getBuiltinModule` in place of an import. An import reads every export once,
 * and some of them are loaded when they are read: an import of `node:http` also loads the implementation of `fetch`,
 * which takes longer than all of the command's own code until a chat shows its prompt.
 */
export function builtinImports(): Plugin {
  return { name: 'builtin-imports', renderChunk: (code) => withoutBuiltinImports(code) };
}

export function withoutBuiltinImports(code: string): string {
  return code.replace(IMPORT, (statement, clause: string, name: string) => {
    const { main, all, some } = CLAUSE.exec(clause)?.groups ?? {};
    const names = [main, all, some?.trim() && `{${some.replaceAll(' as ', ': ')}}`].filter(Boolean);
    if (!isBuiltin(name) || names.length === 0) return statement;
    const load = `process.getBuiltinModule("${name}")`;
    return `const ${names.map((each) => `${each} = ${load}`).join(', ')};`;
  });
}
