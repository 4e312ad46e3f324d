import type { ToolDialect } from './tool-dialect.ts';

const FOLDER = {
  means: 'the folder',
  aliases: [
    'dir_path',
    'directory',
    'dir',
    'folder',
    'directory_path',
    'relative_workspace_path',
    'cwd',
    'root',
  ],
};

const EXPLAINED = ['description', 'explanation', 'reason', 'security_risk', 'task_progress'];

export const LIST_DIALECT: ToolDialect = {
  names: ['ls', 'list_dir', 'list_directory', 'list_files', 'list_folder', 'dir', 'tree'],
  parameters: {
    path: { ...FOLDER, aliases: [...FOLDER.aliases, 'file_path', 'target_directory'] },
    depth: { means: 'how deep', unit: 'levels', aliases: ['max_depth', 'levels'] },
    recursive: { means: 'all levels', aliases: ['recurse'], isExtra: true },
  },
  silent: EXPLAINED,
};

export const GLOB_DIALECT: ToolDialect = {
  names: [
    'find',
    'find_files',
    'file_search',
    'glob_file_search',
    'glob_files',
    'glob_search',
    'search_file_names',
  ],
  parameters: {
    pattern: {
      means: 'the glob',
      aliases: ['glob', 'glob_pattern', 'file_pattern', 'query', 'name', 'pattern_glob'],
    },
    path: { ...FOLDER, aliases: [...FOLDER.aliases, 'file_path', 'target_directory'] },
    limit: {
      means: 'most files shown',
      unit: 'files',
      aliases: ['max_results', 'head_limit'],
      isExtra: true,
    },
  },
  silent: EXPLAINED,
};

export const GREP_DIALECT: ToolDialect = {
  names: [
    'search',
    'grep_search',
    'grep_files',
    'search_files',
    'search_file_content',
    'search_text',
    'search_code',
    'ripgrep',
    'rg',
    'find_in_files',
  ],
  parameters: {
    pattern: {
      means: 'the regular expression',
      aliases: ['regex', 'query', 'search', 'search_pattern', 'text', 'regexp', 'search_term'],
    },
    path: { ...FOLDER, means: 'file or folder', aliases: [...FOLDER.aliases, 'file_path', 'file'] },
    include: {
      means: 'glob of the files to search',
      aliases: ['glob', 'file_pattern', 'include_pattern', 'includes', 'include_glob', 'glob_pattern'],
    },
    ignoreCase: { means: 'ignore case', aliases: ['i', 'case_insensitive'] },
    context: {
      means: 'lines before and after each match',
      unit: 'lines',
      aliases: ['C', 'context_lines', 'lines_of_context'],
    },
    limit: {
      means: 'most matches shown',
      unit: 'matches',
      aliases: ['head_limit', 'max_matches', 'max_results', 'total_max_matches', 'max_count', 'm'],
    },
    before: { means: 'lines before each match', unit: 'lines', aliases: ['B'], isExtra: true },
    after: { means: 'lines after each match', unit: 'lines', aliases: ['A'], isExtra: true },
    exclude: { means: 'glob of files to leave out', aliases: ['exclude_pattern'], isExtra: true },
    type: { means: 'type of the files, such as ts', aliases: ['file_type'], isExtra: true },
    literal: { means: 'the pattern is text', aliases: ['fixed_strings', 'F', 'is_literal'], isExtra: true },
    caseSensitive: { means: 'false ignores case', isExtra: true },
    output: {
      means: 'content, files_with_matches or count',
      aliases: ['output_mode'],
      isExtra: true,
    },
  },
  silent: [...EXPLAINED, 'n', 'line_numbers'],
};
