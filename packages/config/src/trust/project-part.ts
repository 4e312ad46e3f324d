import type { ProjectFile } from './project-files.ts';

/** The files of a project that are trusted, with the bytes that were trusted. */
export class TrustedFiles {
  /** The project's folder, without symbolic links. */
  readonly root: string;
  readonly #files: ReadonlyMap<string, ProjectFile>;

  constructor(root: string, files: Iterable<ProjectFile>) {
    this.root = root;
    this.#files = new Map([...files].map((file) => [file.path, file]));
  }

  /** Returns the trusted bytes of a file, or undefined. */
  bytesOf(path: string): Uint8Array | undefined {
    return this.#files.get(path)?.bytes;
  }
}

/** The trusted part of a project's file. It is not a setting and is never printed. */
export class ProjectPart {
  /** The providers whose address and key are the project's. */
  readonly providers: ReadonlySet<string>;
  /** Whether the upstreams of the gateway are the project's. */
  readonly hasUpstreams: boolean;
  /** The MCP servers that are the project's. */
  readonly servers: ReadonlySet<string>;
  readonly files: TrustedFiles;
  /** Ids of all wants that are trusted. */
  readonly trusted: ReadonlySet<string>;

  constructor(
    part: Pick<ProjectPart, 'providers' | 'hasUpstreams' | 'servers' | 'files'> &
      Partial<Pick<ProjectPart, 'trusted'>>,
  ) {
    this.providers = part.providers;
    this.hasUpstreams = part.hasUpstreams;
    this.servers = part.servers;
    this.files = part.files;
    this.trusted = part.trusted ?? new Set();
  }

  /** The part of a project without a configuration file. */
  static without(workspace: string): ProjectPart {
    return new ProjectPart({
      providers: new Set(),
      hasUpstreams: false,
      servers: new Set(),
      files: new TrustedFiles(workspace, []),
    });
  }

  withTrusted(trusted: ReadonlySet<string>): ProjectPart {
    return new ProjectPart({ ...this, trusted });
  }

  withoutUpstreams(): ProjectPart {
    return new ProjectPart({ ...this, hasUpstreams: false });
  }

  toJSON(): undefined {
    return undefined;
  }
}
