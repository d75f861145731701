// Lets the suite start on Node 20: it imports fs.globSync, which came with Node 22, for a command that no test runs.

import fs from "node:fs";
import { register } from "node:module";

const FS = "data:text/javascript,export * from 'node:fs'; export const globSync = undefined;";
const HOOKS = `export const resolve = (name, context, next) =>
  name === "fs" && context.parentURL?.endsWith("/conformance/dist/index.js")
    ? { url: ${JSON.stringify(FS)}, shortCircuit: true }
    : next(name, context);`;

if (fs.globSync === undefined) {
  register(`data:text/javascript,${encodeURIComponent(HOOKS)}`);
}
