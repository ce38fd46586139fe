import { describe, expect, it } from 'vitest'
import { parseDrawio } from '#rules/diagrams/drawio.ts'

const escapeText = (text: string) => text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`)
const mxfile =
  '<mxfile host="x"><diagram name="Site"><mxGraphModel><root><mxCell id="0"/><mxCell id="1" parent="0"/><mxCell id="a" value="A &amp; &quot;B&quot;" vertex="1" parent="1"/></root></mxGraphModel></diagram></mxfile>'
const doctype =
  '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">'
const parse = (content: string) => parseDrawio(content, 1)
const whichFile =
  'Send the .drawio file (in draw.io: File, Save as), or an SVG or HTML file that draw.io exported with a copy of the diagram'

describe('a copy of a diagram in a file that draw.io exported', () => {
  it.each([
    [
      'SVG',
      `<?xml version="1.0"?>\n<!-- comment -->\n${doctype}\n<svg xmlns="http://www.w3.org/2000/svg" content="${escapeText(mxfile)}"><g/></svg>`,
    ],
    ['SVG that encodes it', `<svg content="${encodeURIComponent(mxfile)}"/>`],
    [
      'HTML',
      `<!DOCTYPE html><html><body><p><br></p><div class="mxgraph" data-mxgraph="${escapeText(JSON.stringify({ nav: true, xml: mxfile }))}"></div></body></html>`,
    ],
  ])('DIA-23 is read from %s', async (_, content) => {
    const { name, nodes } = await parse(content)
    expect([name, nodes.map(({ data }) => data.label)]).toEqual(['Site', ['A & "B"']])
  })

  it.each([
    [
      'an SVG without one',
      '<svg><g content="<mxfile/>"/></svg>',
      `The file has no copy of the diagram. ${whichFile}`,
    ],
    ['an SVG with another text', '<svg content="x"/>', `The file has no copy of the diagram. ${whichFile}`],
    [
      'an SVG with a damaged one',
      '<svg content="%3C%"/>',
      `The file has no copy of the diagram. ${whichFile}`,
    ],
    [
      'HTML with a link to it',
      '<div data-mxgraph="{&quot;url&quot;:1}"/>',
      `The file has no copy of the diagram. ${whichFile}`,
    ],
    [
      'HTML with a deep one',
      `<div data-mxgraph='${'['.repeat(50_000)}'/>`,
      `The file has no copy of the diagram. ${whichFile}`,
    ],
    ['a PNG', '\u0089PNG\r\n<', `This is no draw.io file. ${whichFile}`],
    ['a text', 'graph TD', `This is no draw.io file. ${whichFile}`],
  ])('DIA-23 is missing from %s, and the message says which file to send', async (_, content, message) => {
    await expect(parse(content)).rejects.toThrow(message)
  })

  it('DIA-23 is not looked for in a draw.io file', async () => {
    const { nodes } = await parse(mxfile.replace('A &amp;', 'data-mxgraph= &amp;'))
    expect(nodes.map(({ data }) => data.label)).toEqual(['data-mxgraph= & "B"'])
  })
})
