import { deflateRawSync, deflateSync } from 'node:zlib'
import { deflatedMethod } from '#rules/archive/zip-format.ts'
import type { FileInput, FileKind } from '#rules/files/read-file.ts'
import { createRandom } from '#test/soak/random.ts'
import { buildZip, documentXml, docxParagraph, docxParts } from '#test/support/knowledge.ts'

// Generates files from the parts that may repeat in each format. A seed decides the structure, and a scale how
// often its parts repeat.

export interface HostileFile {
  kind: FileKind
  input: FileInput<FileKind>
  bytes: number
  /** The structure, to find out what made a file slow. */
  structure: string
}

export interface Format {
  /**
   * The parts that may repeat at each place of a file. `§` is the number of the repetition, `±` the one before
   * it, and `‡` a column of a page as wide as it is high. A part with `…` surrounds others.
   */
  places: Record<string, readonly string[]>
  build(texts: Record<string, string>): Pick<HostileFile, 'kind' | 'input'>
}

const utf8 = (text: string) => new Uint8Array(Buffer.from(text))

/** Return the parts of a template between `¦`, which may be followed by a line break. */
const parts = ({ raw: [text = ''] }: TemplateStringsArray): string[] =>
  text
    .split(/¦\n?/)
    .map((part) =>
      part.replace(/\\(?:[ntr0\\]|u[\da-f]{4})/g, (code) =>
        JSON.parse(`"${code.replace('\\0', '\\u0000')}"`),
      ),
    )

function buildPdf(texts: Record<string, string>): Uint8Array<ArrayBuffer> {
  const stream = (number: number, dict: string, content: string) => {
    const data = deflateSync(Buffer.from(content, 'latin1'))
    return [
      `${number} 0 obj<</Length ${data.length}/Filter/FlateDecode ${dict}>>stream\n`,
      data,
      '\nendstream endobj\n',
    ]
  }
  // Each object has its number and its offset in front: ISO 32000-1, 7.5.7.
  const pack = (number: number, from: number, values: readonly string[]) => {
    let offset = 0
    const header = values.map((value, index) => {
      const entry = `${from + index} ${offset} `
      offset += value.length
      return entry
    })
    const head = header.join('')
    return stream(number, `/Type/ObjStm/N ${values.length}/First ${head.length}`, head + values.join(''))
  }
  const packed = texts.packed?.split(/(?<= )/).filter(Boolean) ?? []
  const streams = texts.streams?.split(/(?<= )/).filter(Boolean) ?? []
  const page = `<</Type/Page/Contents[5 0 R ${texts.contents}]/MediaBox[0 0 612 792 ${texts.box}]/Resources<</Font<</F 6 0 R ${texts.fonts}>>/XObject<</X 8 0 R>>>> ${texts.page}>>`
  return new Uint8Array(
    Buffer.concat(
      [
        '%PDF-1.5\n',
        texts.objects ?? '',
        '\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n',
        `2 0 obj<</Type/Pages/Kids[3 0 R ${texts.kids}]>>endobj\n`,
        `6 0 obj<</Subtype/${texts.map ? 'Type0' : 'Type1'}/ToUnicode 9 0 R/DescendantFonts[<</W[${texts.widths}]>>]/FirstChar 0/Widths[${texts.widths}]/Encoding<</Differences[0 ${texts.names}]>>>>endobj\n`,
        ...stream(5, '', `BT /F 12 Tf 50 700 Td (a) Tj ${texts.texts ?? ''}${texts.operators}`),
        ...stream(8, `/Subtype/Form/Matrix[1 0 0 1 0 0 ${texts.box}]`, `BT /F 1 Tf (b) Tj ${texts.form}`),
        ...(texts.map ? stream(9, '', `${texts.map} endbfrange endbfchar`) : []),
        ...stream(7, '/Type/ObjStm/N 1/First 4', `3 0 ${page}`),
        ...(packed.length > 0 ? pack(11, 1000, packed) : []),
        ...streams
          .slice(0, maxStreams)
          .flatMap((value, index) => pack(1000 + index, 100_000 + index, [value])),
        ...stream(10, `/Filter[/FlateDecode ${texts.filters}]`, 'x'),
        'trailer<</Root 1 0 R>>',
      ].map((part) => Buffer.from(part as string, 'latin1')),
    ),
  )
}

/** Decompressing takes the generator as long as the reader. */
const maxStreams = 5000

const article = (name: string, bytes: Uint8Array<ArrayBuffer>) =>
  ({ kind: 'article_file', input: { bytes, name, type: '' } }) as const

const values = parts`<<…>>¦[…]¦/A§ 1 ¦/A ¦/A§ ¦§ ¦(a)¦(…)¦<41>¦5 0 R ¦§ 0 R ¦% \n¦ ¦<<¦[¦(¦#41¦\\(¦a`
const operators = [
  ...parts`(a) Tj ¦(a§ ) Tj ¦(1. a) Tj ¦( ) Tj ¦(a  -) Tj ¦<4141> Tj ¦[(a) -9 (b) 9] TJ ¦q ¦Q ¦/F 12 Tf ¦/F §.5 Tf ¦
/G§ 9 Tf ¦1 0 0 1 § 700 Tm ¦1 0 0 1 50 § Tm ¦0 -12 Td ¦9 0 Td ¦20 -12 Td (a b) Tj -20 -12 Td (a b) Tj ¦q 4 0 0 4 30 § cm BI ID x EI Q ¦/X Do ¦BT ¦ET ¦ID ¦EI ¦3 Tr ¦0 1 -1 0 50 § Tm ¦(b) Tj ¦(a) ' ¦T* ¦
1 0 0 1 1 1 cm ¦0 0 9 § re W n ¦0 0 900 900 re ¦W n ¦9 9 l W* n `,
  ...values,
]
const pdfPlaces = {
  // A few words of a page in columns and rows, and the objects in a stream of objects.
  texts: parts`(word§ ) Tj ¦1 0 0 1 ‡ § Tm (a‡) Tj ¦1 0 0 1 § 9 Tm (a) Tj ¦1 0 0 1 9 § Tm (a) Tj ¦§ 0 Td (a§) Tj `,
  packed: ['<<>> ', '1 ', '<</Type/Page>> ', '<</Type/Catalog/Pages 2 0 R>> ', '[§] '],
  streams: ['<<>> '],
  objects: [
    ...parts`§ 0 obj<<…>>endobj ¦§ 0 obj<</A 1>>endobj ¦
§ 0 obj<</Type/Page/Contents 5 0 R/Resources<</Font<</F 6 0 R>>>>>>endobj ¦1 0 obj ¦§ 0 obj[1 2]¦trailer<<…>>¦trailer¦trailer(¦stream\n¦
endstream ¦endobj `,
    ...values,
  ],
  page: ['/Annots[…]', '<</Subtype/Widget/Rect[§ 9 9 9]/AP<</N 8 0 R>>>>', ...values],
  kids: ['3 0 R ', '2 0 R ', '§ 0 R ', '5 0 R ', '<<>> ', '<</Kids[…]>>'],
  contents: ['5 0 R ', '8 0 R ', '§ 0 R ', '1 '],
  box: ['1 ', '§ 0 R ', '2 0 R '],
  fonts: ['/G§ 6 0 R ', '/G§ <</Widths[1 2]>> ', '/G<<…>>'],
  widths: ['500 ', '§ [1 2] ', '[…]', '0 65535 500 ', '§ § 1 '],
  names: ['/a§ ', '/aacute ', '§ /a ', '/uni0041 ', '/a.'],
  operators,
  form: ['/X Do ', ...operators],
  map: parts`<0041> <0042> ¦<0000> <ffff> <0041> ¦<0000> <ffff> [<0041> <0042>] ¦<§> <0041> ¦endbfchar ¦endbfrange ¦
endcodespacerange `,
  filters: ['/FlateDecode ', '/ASCIIHexDecode ', '/ASCII85Decode ', '/LZWDecode ', '/RunLengthDecode '],
}

const docxBody = parts`<w:p>…</w:p>¦<w:p><w:r><w:t>a §</w:t></w:r></w:p>¦<w:p/>¦<w:r><w:t>a</w:t></w:r>¦
<w:r><w:t>1. a</w:t></w:r>¦<w:t>a</w:t>¦<w:t> </w:t>¦<w:tbl>…</w:tbl>¦<w:tr>…</w:tr>¦<w:tc>…</w:tc>¦
<w:tbl><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>¦
<w:tc><w:tcPr><w:gridSpan w:val="99"/></w:tcPr><w:p/></w:tc>¦<w:hyperlink r:id="rId9">…</w:hyperlink>¦
<w:hyperlink r:id="rId§"/>¦<w:br/>¦<w:tab/>¦
<w:p><w:pPr><w:pStyle w:val="s§"/></w:pPr><w:r><w:t>a</w:t></w:r></w:p>¦
<w:p><w:pPr><w:numPr><w:ilvl w:val="§"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>a</w:t></w:r></w:p>¦
<w:p><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>a</w:t></w:r></w:p>¦
<w:footnoteReference w:id="1"/>¦<w:footnoteReference w:id="§"/>¦
<w:r><w:fldChar w:fldCharType="begin"/></w:r>¦
<w:r><w:instrText> HYPERLINK "http://a/" </w:instrText></w:r>¦
<w:r><w:fldChar w:fldCharType="end"/></w:r>¦<w:r><w:rPr><w:b/><w:strike/></w:rPr><w:t>a</w:t></w:r>¦
<w:drawing/>¦<w:sdt>…</w:sdt>¦<w14:checkbox/>¦<w:checkBox>…</w:checkBox>¦<w:sym w:char="F0A8"/>¦
<m:oMath>…</m:oMath>¦<m:f><m:num>…</m:num><m:den><m:r><m:t>a</m:t></m:r></m:den></m:f>¦<m:sSup><m:e>…</m:e></m:sSup>¦
<m:m>…</m:m>¦<m:mr>…</m:mr>¦<m:r><m:t>a</m:t></m:r>¦<m:d><m:dPr><m:sepChr m:val="§"/></m:dPr><m:e>…</m:e></m:d>¦
<w:r><w:rPr><w:rStyle w:val="s§"/></w:rPr><w:t>a</w:t></w:r>¦<w:del><w:r><w:delText>a</w:delText></w:r></w:del>¦
<mc:AlternateContent>…</mc:AlternateContent>¦<w:tbl><w:tblPr><w:tblStyle w:val="s§"/></w:tblPr>…</w:tbl>¦
<w:tc><w:tcPr><w:cellDel/></w:tcPr><w:p/></w:tc>¦<v:shape style="visibility:hidden;a:b;\\61">…</v:shape>¦<v:shape style="visibility:hidden">¦</v:shape>¦
<a xmlns:n§="http://schemas.openxmlformats.org/wordprocessingml/2006/main">…</a>¦<a§/>¦<a b="1" c="2" d="3" e="4"/>¦<!-- a -->¦&amp;¦a§ ¦\r`
const docxPlaces = {
  body: docxBody,
  attributes: ['a§="1" ', 'xmlns:n§="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '],
  styles: parts`<w:style w:styleId="s§"><w:basedOn w:val="s±"/></w:style>¦
<w:style w:styleId="s§"><w:name w:val="heading 1"/></w:style>¦<w:style w:styleId="s§"><w:strike/></w:style>¦<w:style w:styleId="s"/>¦
<w:style w:styleId="s§" w:type="t§" w:default="1"><w:vanish/></w:style>¦<w:docDefaults><w:rPrDefault>…</w:rPrDefault></w:docDefaults>¦<w:tblStylePr>…</w:tblStylePr>¦
<w:name w:val="a§"/>`,
  numbering: parts`<w:abstractNum w:abstractNumId="§">…</w:abstractNum>¦
<w:lvl w:ilvl="§"><w:numFmt w:val="decimal"/></w:lvl>¦
<w:lvl w:ilvl="0"><w:lvlText w:val="%1.%2"/></w:lvl>¦
<w:num w:numId="§"><w:abstractNumId w:val="7"/></w:num>¦
<w:num w:numId="1"><w:abstractNumId w:val="§"/></w:num>¦<w:numFmt w:val="decimal"/>`,
  links: [
    '<Relationship Id="rId§" Target="http://a/§" TargetMode="External"/>',
    '<Relationship Id="rId9" Target="http://a/"/>',
  ],
  notes: parts`<w:footnote w:id="§"><w:p><w:t>a</w:t></w:p></w:footnote>¦<w:footnote w:id="1">…</w:footnote>¦
<w:p><w:t>a</w:t></w:p>¦<w:t>a</w:t>`,
}

function buildDocx(texts: Record<string, string>): Uint8Array<ArrayBuffer> {
  const root = (name: string, content = '') =>
    `<w:${name} xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">${content}</w:${name}>`
  const parts: Record<string, string | undefined> = {
    'word/styles.xml': texts.styles && root('styles', texts.styles),
    'word/numbering.xml': texts.numbering && root('numbering', texts.numbering),
    'word/footnotes.xml': texts.notes && root('footnotes', texts.notes),
    'word/_rels/document.xml.rels': texts.links && `<Relationships>${texts.links}</Relationships>`,
  }
  const body = `${docxParagraph('Text')}<w:p ${texts.attributes}/>${texts.body}`
  return buildZip([
    ...docxParts(documentXml(body)).filter(({ name }) => !parts[name]),
    ...Object.entries(parts).flatMap(([name, content]) => (content ? [{ name, content }] : [])),
  ])
}

const htmlParts = [
  ...parts`<b>¦</b>¦<i>…</i>¦<p>a</p>¦<p>…</p>¦</p>¦<ul>…</ul>¦<ol>…</ol>¦<li>a¦<li>…</li>¦<ul><li>¦<li><input type=checkbox>a¦<style>.a§{text-decoration:line-through}</style>¦<p class=a§>a</p>¦<ac:structured-macro ac:name=markdown>…</ac:structured-macro>¦<p>☐ a</p>¦
<table>…</table>¦<table><tr><td>a</table>¦<tr>¦<tr><td>a<td>b¦<td>a¦<td rowspan=999 colspan=999>a¦
<th>…</th>¦<a href=http://x/§>b</a>¦<a href=#a>b</a>¦<a href=x>…</a>¦&amp;¦&¦&#§;¦<!--¦-->¦<pre>…</pre>¦
<code>a</code>`,
  '`',
  ...parts`\n¦ ¦<h1>a</h1>¦<h§>¦<div>…</div>¦<div class="toc-§ nav share">a</div>¦<section id=a§>…</section>¦
<nav>…</nav>¦<main>…</main>¦<img src=x alt=a>¦<script>¦</script>¦<style>…</style>¦a§ ¦
http://x.example/§ ¦<br>¦<br>\n¦<p>Share</p>¦<details><summary>a</summary>…</details>¦
<dl><dt>a<dd>b</dl>¦<blockquote>…</blockquote>¦<svg>…</svg>¦<form>…</form>¦<¦<a ¦"¦*¦_¦[¦|¦<sup>1</sup>¦
<noscript>…</noscript>¦<template>…</template>¦<select><option>a`,
]
/** Parts of a style sheet. */
const sheetParts = parts`.a§{display:none}¦.a{height:0;overflow:hidden}¦a§.a,¦#a§ .b,¦a{¦}¦@media screen{…}¦@media print{¦@layer{¦display:none;¦
display:block!important;¦clip:rect(0 0 0 0);¦text-decoration:line-through;¦\\61 ¦\\¦/* a */¦/*¦ ¦;¦,¦:¦a`
const markdownParts = [
  ...parts`# a\n¦#¦## a §\n\nb\n\n¦a\n---\n¦- a\n¦  - a\n¦- ¦* ¦1. a\n¦1. a?\n   - If a\n¦> ¦> a\n`,
  '`',
  '``',
  '```\n',
  ...parts`~~~ a\n¦*¦**¦_¦[¦]¦](¦[a](b)¦![¦![a](data:¦(¦)¦|a¦|-¦|a|b|\n|-|-|\n¦a|b\n¦\n¦\n\n¦a ¦a§ ¦aé¦<b>¦</b>¦
<div>\n¦</div>¦<br>¦<del>…</del>¦<a href=x>…</a>¦<ul>¦</ul>¦<li>a</li>¦<table><tr><td>a¦</table>¦\n:::info\n¦\n:::\n¦
:::image source="a":::\n¦> [!note]\n¦!!! note\n    ¦{% hint "info" %}\n¦![a](b)¦[[a§]] ¦%% a %% ¦\n%%\n¦☐ a\n¦<¦&amp;¦&¦[a§]: http://x/§\n¦[a§] ¦[a]: http://x\n\n¦[a]¦[^§]: a\n¦[^§] ¦<!--¦-->¦\\¦
If a, go to step §.\n¦a?\n\n- If a\n- If b\n\n¦    a\n¦\t¦---\n¦a: b\n¦"¦'¦http://x.example/§ ¦
<style>.a§{display:none}</style>\n¦<style>¦</style>¦<p class=a§>a</p>\n¦<p style="display:none;\\61 ">a</p>\n¦<dialog>…</dialog>¦
a@b.example ¦~~¦:¦| ¦- [ ] a\n¦1) ¦\r¦\u00a0¦“¦++¦==¦$`,
]
const drawioParts = parts`<mxCell id="§" vertex="1" value="a" parent="1"/>¦<mxCell id="§" vertex="1" parent="±"/>¦
<mxCell id="§" edge="1" source="0" target="±"/>¦<mxCell edge="1" source="1" target="1" value="a"/>¦
<mxCell vertex="1" parent="0"><mxGeometry x="§" y="1" width="9" height="9" as="geometry"/></mxCell>¦
<mxCell edge="1"><mxGeometry><mxPoint x="§" as="sourcePoint"/><mxPoint y="1" as="targetPoint"/></mxGeometry></mxCell>¦
<mxCell id="§" vertex="1" style="text" value="a" parent="1"><mxGeometry x="§" width="9" height="9"/></mxCell>¦
<mxCell id="§" vertex="1" style="rotation=45" parent="1"><mxGeometry x="§" width="9" height="9"/></mxCell>¦
<mxCell edge="1" source="1" target="±"><mxGeometry><Array>…</Array></mxGeometry></mxCell>¦<mxPoint x="§" y="9"/>¦
<mxCell edge="1"><mxGeometry><Array>…</Array></mxGeometry></mxCell>¦<mxPoint x="1" y="§"/>¦
<object label="%b% §" b="x" placeholders="1" id="§"><mxCell vertex="1"/></object>¦
<object label="a">…</object>¦<UserObject label="a">…</UserObject>¦<mxCell/>¦<a>…</a>¦<a/>¦&amp;¦a¦\r`
const labelParts = parts`&lt;b&gt;a¦&lt;/b&gt;¦&lt;¦&amp;amp;¦&#10;¦a ¦%b%¦%¦§¦&lt;br&gt;¦&lt;table&gt;&lt;tr&gt;&lt;td&gt;¦
&lt;a href=x&gt;¦&lt;!--`
const mermaidParts = [
  ...parts`a§ --> b§\n¦a --> b\n¦a§ --> a±\n¦a¦a[b]¦a["b"]¦[¦]¦(¦)¦{¦}¦"¦ --> ¦ --- ¦-¦.¦=¦ -. a .-> ¦ -- a --> ¦|¦
|a|¦ & ¦subgraph g§\n¦subgraph g\n¦end\n¦:::c¦style a fill:#f00\n¦style a§ fill:#f00,\n¦
classDef c§ fill:#f00\n¦class a§ c\n¦linkStyle § stroke:#f00\n¦click a "http://x"\n¦;¦%% a\n¦#35;¦#¦&lt;¦
<br>¦a@{ shape: rect }\n¦---\n¦a: b\n¦\n¦ ¦direction LR\n`,
  '`',
  ...parts`~~~¦--x¦>a]`,
]
const flowParts = [
  ...parts`## Decision: a {#n§}\n¦## Decision: a\n¦## Action: a {#n§}\n-> #n±\n¦## Action: a\n¦
## Solution: a {#n§}\n¦## Solution: a\n¦## Step: a\n¦### Fallback: a\n¦## Section: a\n¦## End\n¦
- a -> #n§\n¦- a -> #n± {#n§}\n¦- a -> #b\n¦-> #n§\n¦## Intake\n¦| key | label | type |\n|---|---|---|\n¦
| k§ | a | text |\n¦|a¦| "a" |\n`,
  '```\n',
  ...parts`a\n¦\n¦\\¦Attachment: "a" <http://x/>\n¦Evidence: text k "a"\n¦Evidence: select k "a" "b"\n¦
Approval: account_admin minutes=1\n¦Subflow: {"tree_id":"a"}\n¦{{a}} ¦{{¦{¦[¦ a=b¦ {#n a=b}¦"¦#¦## ¦
wait=1 `,
]
const yamlParts = parts`a§: b\n¦a: b\n¦- ¦[¦{¦]¦"¦'¦&a ¦*a ¦&a§ [*a±] ¦: ¦? ¦|\n¦>\n¦#¦ ¦\n¦  a¦tags: [a]\n¦!!str ¦<<: *a\n¦%¦\t`
const zipParts = ['a', 'a§ ', '<p>a</p>', '\0', '\n']

export const formats: Record<string, Format> = {
  pdf: { places: pdfPlaces, build: (texts) => article('a.pdf', buildPdf(texts)) },
  docx: { places: docxPlaces, build: (texts) => article('a.docx', buildDocx(texts)) },
  html: {
    places: {
      head: ['<title>a', '<meta name=a§ content=b>', '<link>', '<base href=x>', '<'],
      body: htmlParts,
      attributes: ['a§=1 ', 'class=a', 'a="', 'style="a:b;'],
      sheet: sheetParts,
      style: sheetParts,
      classes: ['a§ ', 'a ', 'b'],
      script: ['a§ ', 'a ', '.', 'b'],
    },
    build: ({ head, body, attributes, sheet, style, classes, script }) =>
      article(
        'a.html',
        utf8(
          `<html><head>${head}</head><body><p>Text</p><style>.a1{display:none}${sheet}</style><script>${script}</script><p style="${style}" class="${classes}">a</p>${attributes && `<p ${attributes}>`}${body}`,
        ),
      ),
  },
  markdown: {
    places: { front: yamlParts, body: markdownParts },
    build: ({ front, body }) => article('a.md', utf8(`${front && `---\n${front}\n---\n`}Text\n\n${body}`)),
  },
  text: {
    places: { body: [...markdownParts, 'A:\n', 'STEP §\n', '1.1 a\n', '====\n', '\u2028', '\u0000'] },
    build: ({ body }) => article('a.txt', utf8(`Text\n\n${body}`)),
  },
  zip: {
    places: { body: zipParts },
    build: ({ body = '' }) => ({
      kind: 'archived_article',
      input: {
        packed: {
          method: deflatedMethod,
          size: Buffer.byteLength(body),
          content: new Uint8Array(deflateRawSync(body)),
        },
        name: 'a.html',
      },
    }),
  },
  drawio: {
    places: {
      cells: drawioParts,
      points: parts`<mxPoint x="§" y="9"/>¦<mxPoint x="9" y="§"/>¦<mxPoint/>`,
      label: labelParts,
      style: ['a§=b;', 'shape=mxgraph.a;', 'shape=image;image=data:a;', 'fillColor=#ff0000;', ';', 'a'],
      pages: ['<diagram name="a§"/>', '<diagram/>'],
    },
    build: ({ cells, points, label, style, pages }) => ({
      kind: 'drawio',
      input: {
        content: `<mxfile><diagram name="a"><mxGraphModel><root><mxCell id="0"/><mxCell id="1" parent="0" vertex="1" value="${label}" style="html=1;${style}"/>${points && `<mxCell id="2" edge="1" source="1" target="1" parent="0"><mxGeometry><Array as="points">${points}</Array></mxGeometry></mxCell>`}${cells}</root></mxGraphModel></diagram>${pages}</mxfile>`,
        page: 1,
      },
    }),
  },
  drawio_compressed: {
    places: { cells: drawioParts },
    build: ({ cells }) => ({
      kind: 'drawio',
      input: {
        content: `<mxfile><diagram>${deflateRawSync(encodeURIComponent(`<mxGraphModel><root><mxCell id="0"/>${cells}</root></mxGraphModel>`)).toString('base64')}</diagram></mxfile>`,
        page: 1,
      },
    }),
  },
  mermaid: {
    places: { front: yamlParts, body: mermaidParts },
    build: ({ front, body }) => ({
      kind: 'mermaid',
      input: `${front && `---\n${front}\n---\n`}graph TD\n${body}`,
    }),
  },
  flow: {
    places: { front: yamlParts, body: flowParts },
    build: ({ front, body }) => ({
      kind: 'flow_problems',
      input: `---\nname: a\ntype: troubleshooting\n${front}\n---\n\n${body}`,
    }),
  },
}

export const maxTextLength = 4_500_000

type Random = ReturnType<typeof createRandom>

/** Write a part with its number, on a page of so many columns. */
export const numberPart = (part: string, index: number, columns: number): string =>
  part
    .replaceAll('§', String(index))
    .replaceAll('±', String(Math.max(0, index - 1)))
    .replaceAll('‡', String((index % columns) * 9))

/** Texts that repeat parts. `count` is the number of repetitions of a whole text. */
function createText(
  parts: readonly string[],
  random: Random,
  depth = 0,
): { structure: string; write(count: number): string } {
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T
  const sequence = Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(parts))
  const inner = depth < 2 && random() < 0.7 ? createText(parts, random, depth + 1) : null
  const isNested = random() < 0.3
  const innerShare = pick([0, 0.5, 1])
  const structure = `(${sequence.join('+')}${isNested ? ' nested' : ''}${inner ? ` ${innerShare} ${inner.structure}` : ''})`
  return {
    structure,
    write(count) {
      // Of n repetitions, the inner text has n, or the product of both is n.
      const [outer, innerCount] =
        inner && innerShare < 1
          ? [Math.ceil(count ** (1 - innerShare)), Math.ceil(count ** innerShare)]
          : [count, 1]
      const content = inner?.write(innerCount) ?? ''
      const number = (part: string, index: number) => numberPart(part, index, Math.ceil(Math.sqrt(count)))
      const whole = (index: number, middle: string) =>
        sequence.reduceRight((text, part) => {
          const [open = '', close] = number(part, index).split('…')
          return close === undefined ? open + text : open + text + close
        }, middle)
      if (!isNested) {
        let text = ''
        for (let index = 0; index < outer && text.length < maxTextLength; index++)
          text += whole(index, content)
        return text
      }
      const [opens, closes]: [string[], string[]] = [[], []]
      for (let index = 0, length = 0; index < outer && length < maxTextLength; index++) {
        const [open = '', close = ''] = whole(index, '…').split('…')
        opens.push(open)
        closes.push(close)
        length += open.length + close.length
      }
      return opens.join('') + content + closes.reverse().join('')
    },
  }
}

/** Create the file of a seed. `scale` is how often its parts repeat. */
export function createHostileFile(name: string, seed: number, scale: number): HostileFile {
  const { places, build } = formats[name] as Format
  const random = createRandom(Math.imul(seed + 1, 0x9e3779b1))
  const names = Object.keys(places)
  const hot = new Set(
    [random(), ...(random() < 0.5 ? [random()] : [])].map((share) => names[Math.floor(share * names.length)]),
  )
  const structures: string[] = []
  const texts = Object.fromEntries(
    names.map((place) => {
      if (!hot.has(place)) return [place, '']
      const text = createText(places[place] ?? [], random)
      structures.push(`${place}: ${text.structure}`)
      return [place, text.write(scale).slice(0, maxTextLength)]
    }),
  )
  const file = build(texts)
  return { ...file, bytes: Object.values(texts).join('').length, structure: structures.join(', ') }
}
