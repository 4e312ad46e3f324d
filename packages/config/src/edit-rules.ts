import type { ApprovalRule } from '@longhaul/approvals';
import { type Document, isSeq, parseDocument, type YAMLSeq } from 'yaml';
import { checkLayer } from './check-layer.ts';
import { documentText, replaceEmpty } from './edited-document.ts';
import type { Environment } from './environment.ts';
import { parseYamlLayer } from './yaml-layer.ts';

export interface EditedFile {
  path: string;
  text: string;
  env: Environment;
}

/** The list of rules in a file, and how a rule is added to it. */
export interface RuleList {
  readonly list: YAMLSeq;
  add(rule: ApprovalRule): void;
}

/**
 * Returns the text of a file with changed rules, or undefined if nothing is to be changed.
 *
 * @throws {LonghaulError} `config_invalid` if the file is not valid before or after the change.
 */
export function editRules(
  { path, text, env }: EditedFile,
  change: (rules: RuleList) => boolean,
): string | undefined {
  // It is checked before it is changed: a mistake in it is reported with its own line.
  checkLayer(parseYamlLayer(path, text), env);
  const document = parseDocument(text);
  const list = rulesIn(document);
  const add = (rule: ApprovalRule) => list.add(document.createNode(rule, { flow: true }));
  if (!change({ list, add })) return undefined;
  const next = documentText(document, text);
  checkLayer(parseYamlLayer(path, next), env);
  return next;
}

function rulesIn(document: Document): YAMLSeq {
  const list = document.get('approvals', true);
  if (isSeq(list)) return list;
  const created = document.createNode([]);
  replaceEmpty(document, ['approvals'], created);
  return created;
}
