import { dirname, join } from 'node:path';
import { type Comment, type ModuleExportName, parseSync, type Statement } from 'oxc-parser';

/** One name that a package exports. */
export interface Exported {
  name: string;
  /** The file that declares it. */
  file: string;
  /** The declaration as it is written, without its docstring. */
  text: string;
  /** The docstring without its comment signs. Undefined: there is none. */
  doc: string | undefined;
}

interface Module {
  file: string;
  source: string;
  body: Statement[];
  comments: Comment[];
}

/** Reads what modules export. Parses each file once. */
export class ExportReader {
  readonly #read: (file: string) => string;
  readonly #modules = new Map<string, Module>();

  constructor(read: (file: string) => string) {
    this.#read = read;
  }

  /**
   * Returns the exports of a module in their order. Follows the names that it exports from other modules of the same
   * package; those of other packages are documented there.
   *
   * @throws {Error} If a file cannot be parsed.
   */
  of(file: string): Exported[] {
    const module = this.#parse(file);
    const found = module.body.flatMap((statement) => this.#exportsOf(statement, module));
    // The docstring of an overloaded function precedes its first form.
    return found.filter(({ name }, index) => found.findIndex((other) => other.name === name) === index);
  }

  #exportsOf(statement: Statement, module: Module): Exported[] {
    if (statement.type === 'ExportAllDeclaration') {
      const target = ownFile(module, statement.source.value);
      return target === undefined ? [] : this.of(target);
    }
    if (statement.type !== 'ExportNamedDeclaration') return [];
    const { declaration, source, specifiers } = statement;
    if (declaration !== null) {
      const doc = docBefore(statement.start, module);
      const text = module.source.slice(statement.start, statement.end);
      return namesOf(declaration).map((name) => ({ name, file: module.file, text, doc }));
    }
    const target = source === null ? undefined : ownFile(module, source.value);
    if (target === undefined) return [];
    return specifiers.flatMap(({ local, exported }) => {
      const found = this.of(target).find(({ name }) => name === nameIn(local));
      // The compiler has checked that the name exists, so another package declares it.
      return found === undefined ? [] : [{ ...found, name: nameIn(exported) }];
    });
  }

  #parse(file: string): Module {
    const known = this.#modules.get(file);
    if (known !== undefined) return known;
    const source = this.#read(file);
    const { program, comments, errors } = parseSync(file, source);
    if (errors[0] !== undefined) throw new Error(`${file} cannot be parsed: ${errors[0].message}`);
    const module = { file, source, body: program.body, comments };
    this.#modules.set(file, module);
    return module;
  }
}

/**
 * Returns the file of the same package from which a module exports. Undefined: another package. Emitted declarations
 * name `./x.ts`, and are in `./x.d.ts`.
 */
function ownFile({ file }: Module, source: string): string | undefined {
  if (!source.startsWith('.')) return undefined;
  return join(dirname(file), file.endsWith('.d.ts') ? source.replace(/\.[jt]s$/, '.d.ts') : source);
}

function nameIn(name: ModuleExportName): string {
  return name.type === 'Literal' ? name.value : name.name;
}

type Declaration = NonNullable<Extract<Statement, { type: 'ExportNamedDeclaration' }>['declaration']>;

function namesOf(declaration: Declaration): string[] {
  if (declaration.type === 'VariableDeclaration')
    return declaration.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []));
  const { id } = declaration;
  return id?.type === 'Identifier' ? [id.name] : [];
}

/** Returns the docstring that directly precedes a position. */
function docBefore(position: number, { source, comments }: Module): string | undefined {
  const comment = comments.findLast(({ end }) => end <= position);
  if (comment?.type !== 'Block' || !comment.value.startsWith('*')) return undefined;
  if (source.slice(comment.end, position).trim() !== '') return undefined;
  const lines = comment.value.slice(1).split('\n');
  const text = lines.map((line) => line.replace(/^\s*\* ?/, '')).join('\n');
  return text.trim();
}
