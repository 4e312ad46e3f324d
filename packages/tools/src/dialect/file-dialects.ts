import type { ParameterDialect, ToolDialect } from './tool-dialect.ts';

const PATH_ALIASES = [
  'file_path',
  'filename',
  'file',
  'absolute_path',
  'target_file',
  'target',
  'relative_path',
  'relative_workspace_path',
  'uri',
];

const FILE_PATH: ParameterDialect = { means: 'the file', aliases: PATH_ALIASES };

const EXPLAINED = ['description', 'explanation', 'instruction', 'instructions', 'reason', 'task_progress'];

export const READ_DIALECT: ToolDialect = {
  names: [
    'read_file',
    'view',
    'view_file',
    'open_file',
    'cat',
    'fs_read',
    'view_image',
    'read_text_file',
    'read_many_files',
    'get_file',
    'show_file',
    'NotebookRead',
  ],
  parameters: {
    path: { ...FILE_PATH, aliases: [...PATH_ALIASES, 'paths', 'files', 'notebook_path'] },
    offset: {
      means: 'first line',
      unit: 'line, from 1',
      aliases: ['start_line', 'line_start', 'from_line', 'start', 'from', 'start_line_one_indexed', 'line'],
    },
    limit: {
      means: 'how many lines',
      unit: 'lines',
      aliases: ['max_lines', 'line_count', 'num_lines', 'lines', 'count'],
    },
    endLine: {
      means: 'last line; -1 is the end of the file',
      unit: 'line, from 1',
      aliases: ['line_end', 'to_line', 'end', 'to', 'end_line_one_indexed_inclusive'],
      isExtra: true,
    },
    range: {
      means: 'first and last line, as an array',
      unit: 'lines, from 1',
      aliases: ['view_range', 'line_range'],
      isExtra: true,
    },
  },
  silent: [...EXPLAINED, 'should_read_entire_file', 'mode', 'detail', 'security_risk'],
};

export const WRITE_DIALECT: ToolDialect = {
  names: ['write_file', 'write_to_file', 'create_file', 'create', 'fs_write', 'save_file', 'new_file'],
  parameters: {
    path: FILE_PATH,
    content: {
      means: 'the whole text of the file',
      aliases: ['contents', 'text', 'file_text', 'file_content', 'data', 'code', 'body'],
    },
  },
  silent: [...EXPLAINED, 'overwrite', 'create_dirs', 'line_count', 'security_risk'],
};

export const EDIT_DIALECT: ToolDialect = {
  names: [
    'edit_file',
    'str_replace',
    'replace',
    'replace_in_file',
    'multi_edit',
    'search_replace',
    'search_and_replace',
    'file_edit',
    'update_file',
    'str_replace_editor',
    'str_replace_based_edit_tool',
    'text_editor',
  ],
  parameters: {
    path: FILE_PATH,
    old: {
      means: 'the text to replace',
      aliases: ['old_string', 'old_text', 'old_str', 'old_content', 'search', 'find', 'target_content'],
    },
    new: {
      means: 'the text to put there',
      aliases: ['new_string', 'new_text', 'new_str', 'new_content', 'replacement', 'replace', 'replace_with'],
    },
    all: {
      means: 'replace every match',
      aliases: ['replace_all', 'all_occurrences', 'allow_multiple', 'global'],
    },
    edits: {
      means: 'several replacements {old, new, all}, also as JSON text',
      aliases: ['replacements', 'changes', 'operations'],
    },
    diff: { means: 'SEARCH/REPLACE blocks', aliases: ['blocks', 'search_replace_blocks'], isExtra: true },
    expected: {
      means: 'how many matches there are',
      unit: 'matches',
      aliases: ['expected_replacements', 'expected_occurrences'],
      isExtra: true,
    },
    editorCommand: {
      means: 'command of a text editor tool: view, create, str_replace, insert',
      aliases: ['command'],
      isExtra: true,
    },
  },
  silent: [...EXPLAINED, 'security_risk'],
};
export const PATCH_DIALECT: ToolDialect = {
  names: ['patch', 'apply_diff'],
  parameters: {
    patch: {
      means: 'the patch',
      aliases: ['input', 'patch_text', 'diff', 'content', 'text', 'body', 'cmd', 'command'],
    },
    workdir: {
      means: 'folder to which its paths are relative',
      aliases: ['cwd', 'directory'],
      isExtra: true,
    },
  },
  silent: EXPLAINED,
};
