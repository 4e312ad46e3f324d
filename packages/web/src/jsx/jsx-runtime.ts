import { jsx as reactJsx, jsxs as reactJsxs } from 'react/jsx-runtime';
import { shownProps } from './shown-props.ts';

export { Fragment, type JSX } from 'react/jsx-runtime';

/** Creates the elements of all JSX on the page: `jsxImportSource` of the tsconfig names this folder. */
export const jsx: typeof reactJsx = (type, props, key) => reactJsx(type, shownProps(props as object), key);
export const jsxs: typeof reactJsxs = (type, props, key) => reactJsxs(type, shownProps(props as object), key);
