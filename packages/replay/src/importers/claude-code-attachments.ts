import type { JsonObject, ToolOutputContent } from '@longhaul/protocol';
import { readContent } from './content-blocks.ts';
import { objectAt, textAt } from './json-fields.ts';
import type { ReportDraft } from './report.ts';

/** Returns the content of an attachment that the model saw, or undefined for other attachments. */
export function attachedContent(
  attachment: JsonObject,
  report: ReportDraft,
): ToolOutputContent[] | undefined {
  const name = textAt(attachment, 'filename') ?? textAt(attachment, 'path') ?? '';
  switch (textAt(attachment, 'type')) {
    case 'edited_text_file':
      return named('Changed file', name, textAt(attachment, 'snippet'));
    case 'file':
      return fileContent(attachment, name, report);
    case 'directory':
      return named('Folder', name, textAt(attachment, 'content'));
    case 'selected_lines_in_ide':
      return named('Selected lines of', name, textAt(attachment, 'content'));
    case 'nested_memory':
      return named('Instructions', name, textAt(objectAt(attachment, 'content'), 'content'));
    case 'hook_additional_context':
      return readContent(attachment['content'], report);
    default:
      return undefined;
  }
}

function named(kind: string, name: string, text: string | undefined): ToolOutputContent[] | undefined {
  return text === undefined ? undefined : [{ type: 'text', text: `${kind} ${name}:\n${text}` }];
}

/** A file is text, or an image or document in base64. */
function fileContent(
  attachment: JsonObject,
  name: string,
  report: ReportDraft,
): ToolOutputContent[] | undefined {
  const content = objectAt(attachment, 'content');
  const file = objectAt(content, 'file');
  const text = textAt(file, 'content') ?? textAt(content, 'content') ?? textAt(attachment, 'content');
  if (text !== undefined) return named('File', textAt(file, 'filePath') ?? name, text);
  const data = textAt(file, 'base64');
  if (data === undefined) return undefined;
  return readContent([{ type: 'image', data, media_type: textAt(file, 'type') ?? 'image/png' }], report);
}
