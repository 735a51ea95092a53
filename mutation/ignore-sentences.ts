import type { Ignorer, NodePath } from "@stryker-mutator/api/ignore";
import { declareValuePlugin, type Plugin, PluginKind } from "@stryker-mutator/api/plugin";

/** What this looks at of a path of Babel, which Stryker's interface leaves open. */
interface Literal {
  readonly node:
    | { readonly type: "StringLiteral"; readonly value: string }
    | {
        readonly type: "TemplateLiteral";
        readonly quasis: readonly { readonly value: { readonly raw: string } }[];
      }
    | {
        readonly type: "ObjectExpression";
        readonly properties: readonly { readonly key?: { readonly name?: string } }[];
      }
    | { readonly type: "" };
}

const isText = ({ key }: { readonly key?: { readonly name?: string } }): boolean =>
  key?.name === "message" || key?.name === "hint";

/** A literal with a space in it that ends with a full stop, or an object of such. */
function isSentence(path: NodePath): boolean {
  const { node } = path as Literal;
  if (node.type === "StringLiteral") return / .*\.$/.test(node.value);
  if (node.type === "ObjectExpression")
    return node.properties.length > 0 && node.properties.every(isText);
  if (node.type !== "TemplateLiteral") return false;
  const text = node.quasis.map(({ value }) => value.raw).join("x");
  return / .*\.$/.test(text);
}

/** Sentences for people are no behaviour: tests assert codes and places, not messages. */
const ignorer: Ignorer = {
  shouldIgnore: (path) => (isSentence(path) ? "a sentence for people" : undefined),
};

export const strykerPlugins: readonly Plugin<PluginKind.Ignore>[] = [
  declareValuePlugin(PluginKind.Ignore, "sentences", ignorer),
];
