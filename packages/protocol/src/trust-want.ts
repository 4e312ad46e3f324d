/** A setting of a project's file that needs trust. */
export interface TrustWant {
  /** The key, such as `providers.mine`. */
  key: string;
  /** It could run code, send data or choose who receives it, or give the agent more access. */
  danger: 'code' | 'data' | 'access';
  /**
   * The value for a person, with a line for each key or rule that needs trust. Keys are masked. Comes from the project:
   * escape each line before printing.
   */
  text: string;
  /** Files of the project that are used, relative to its folder, with the first 12 digits of their hash. */
  files: string[];
  isTrusted: boolean;
  /** Why it is refused even if it is trusted. */
  refusal?: string;
}
