import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ignoredElements, inlineElements } from '#rules/knowledge/html-tree.ts'

// The names that each reader asks for, from its source: a name that it learns is tried by itself.

const rules = join(import.meta.dirname, '../../lib/rules')

/** Return what a pattern finds first in the files of a reader. */
function listNames(folder: string, prefix: string, pattern: RegExp): string[] {
  const sources = readdirSync(join(rules, folder))
    .filter((name) => name.startsWith(prefix))
    .map((name) => readFileSync(join(rules, folder, name), 'utf8'))
  return [
    ...new Set(sources.flatMap((source) => [...source.matchAll(pattern)].map((match) => match[1] ?? ''))),
  ]
}

const operators = listNames(
  'knowledge',
  'pdf-content',
  /^ {4}['"]?([A-Za-z*'"]+?)['"]?: (?:async )?\(\) =>/gm,
)
const keys = listNames('knowledge', 'pdf', /\.get\('([A-Za-z\d]+)'\)/g)
const pictureOperators = ['f', 'F', 'f*', 'B', 'B*', 'b', 'b*', 'S', 's']
const elements = (names: readonly string[], attributes: string) =>
  names.flatMap((name) => [`<${name}>…</${name}>`, `<${name} ${attributes}/>`])
const html = [
  ...inlineElements,
  ...ignoredElements,
  ...listNames('knowledge', 'html', /name [!=]== '([a-z\d:-]+)'/g),
  ...'nav footer aside header main article section button form dialog details summary dt dd th h1 h6'.split(
    ' ',
  ),
]
const docx = [
  ...listNames('knowledge', 'docx', /'((?:w|m|mc|wp|w14|v|a|pic|r|o):[A-Za-z\d]+)'/g),
  ...listNames('knowledge', 'docx-formulas', /case '([A-Za-z]+)'/g).map((name) => `m:${name}`),
]
const drawio = listNames('diagrams', 'drawio', /=== '([A-Za-z]+)'/g)

/** Parts of each place of a format, as in `formats`. */
export const namedParts: Record<string, Record<string, string[]>> = {
  pdf: {
    operators: [...operators, ...pictureOperators].flatMap((name) => [
      `1 § 3 4 5 § ${name} `,
      `(a) ${name} (b) Tj `,
    ]),
    page: keys.map((key) => `/${key} <<…>>`),
    objects: keys.map((key) => `§ 0 obj<</${key} ± 0 R>>endobj `),
  },
  docx: { body: elements(docx, 'w:val="§" w:id="§"') },
  html: {
    body: [
      ...elements(
        [...new Set(html)],
        'class="a§" style="mso-list:l§ level2 lfo1" id=§ href="http://x/§" alt=a',
      ),
      '<p class=MsoListParagraph style="mso-list:l0 level1 lfo1">a</p>',
      '<p style="mso-list:l§ level2 lfo1"><span style="mso-list:Ignore">1.</span>a</p>',
    ],
  },
  drawio: {
    cells: elements(drawio, 'id="§" as="a" x="§" y="1" name="a" edge="1" vertex="1" source="±" target="1"'),
    // All of them are of one edge.
    points: ['<mxPoint x="§" y="9"/>', '<mxPoint x="1" y="§"/>', '<mxPoint/>', '<a/>'],
  },
}
