import { inflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import {
  createDocument,
  drawImage,
  drawOperators,
  drawTextLine,
  formatNumber,
  serializeDocument,
} from '#rules/pdf/document.ts'
import { breakIntoLines, type TextLine } from '#rules/pdf/line-layout.ts'
import {
  addObject,
  formatTextString,
  type PdfObjects,
  reserveObject,
  serializeObjects,
  setObject,
  setPackedObject,
  toUtf16Hex,
} from '#rules/pdf/objects.ts'
import { addElement } from '#rules/pdf/structure.ts'
import { createStubFonts, listOperators } from '#test/support/stub-fonts.ts'

const lineOf = (text: string, style = {}) =>
  breakIntoLines(createStubFonts(), [{ text, style }], 'text', 50_000)[0] as TextLine
const image = { jpeg: new Uint8Array([1, 2, 3]), width: 20, height: 10 }
const box = { x: 1, y: 2, width: 30.333, height: 15 }

describe('formatNumber', () => {
  it.each([
    [1, '1'],
    [1.005, '1'],
    [1.006, '1.01'],
    [-0.125, '-0.12'],
    [0.1 + 0.2, '0.3'],
  ])('of %d is %s', (value, text) => {
    expect(formatNumber(value)).toBe(text)
  })
})

describe('drawing', () => {
  it('is done on the last page unless a page is named', () => {
    const document = createDocument(createStubFonts())
    document.pages.push([])
    drawOperators(document, 'a')
    drawOperators(document, 'b', 0)
    drawOperators(document, 'c', 2)
    drawImage(document, image, box, 0)
    drawImage(document, image, box)
    expect(listOperators(document)).toEqual([
      ['b', 'q 30.33 0 0 15 1 2 cm /I0 Do Q'],
      ['a', 'q 30.33 0 0 15 1 2 cm /I0 Do Q'],
    ])
    expect(document.images).toEqual([image])
  })

  /** Return the operators that show a line at (10, 20) in the size 20. */
  const drawLine = (line: TextLine, bold?: boolean) => {
    const document = createDocument(createStubFonts())
    drawTextLine(document, line, 10, 20, 20, { colour: '0 0 0', ...(bold === undefined ? {} : { bold }) })
    return listOperators(document)[0]?.join('\n').split('\n')
  }

  it('of a line without glyphs adds nothing', () => {
    expect(drawLine(lineOf(''))).toEqual([''])
  })

  it('of bold text fills and outlines it', () => {
    const bold = ['BT', '0 0 0 rg 0 0 0 RG 2 Tr 0.56 w /F1 20 Tf 1 0 0 1 10 20 Tm [<0001>] TJ', 'ET']
    expect(drawLine(lineOf('a'), true)).toEqual(bold)
    expect(drawLine(lineOf('a', { bold: true }), false)).toEqual(bold)
  })

  it('of a text in two fonts changes the font', () => {
    expect(drawLine(lineOf('a漢b'))).toEqual([
      'BT',
      '0 0 0 rg 0 Tr /F1 20 Tf 1 0 0 1 10 20 Tm [<0001>] TJ',
      '0 0 0 rg 0 Tr /F3 20 Tf 1 0 0 1 20 20 Tm [<0001>] TJ',
      '0 0 0 rg 0 Tr /F1 20 Tf 1 0 0 1 28 20 Tm [<0002>] TJ',
      'ET',
    ])
  })

  it('of a mark moves it back over its letter', () => {
    expect(drawLine(lineOf('x\u0301y'))).toEqual([
      'BT',
      '0 0 0 rg 0 Tr /F1 20 Tf 1 0 0 1 10 20 Tm [<0001>320<0002>-320<0003>] TJ',
      'ET',
    ])
  })

  it('of right-to-left text shows the letters of a word from left to right, and every other character on its own', () => {
    expect(drawLine(lineOf('אב, ג'))).toEqual([
      'BT',
      '0 0 0 rg 0 Tr /F2 20 Tf 1 0 0 1 36 20 Tm [<00010002>] TJ',
      '0 0 0 rg 0 Tr /F1 20 Tf 1 0 0 1 26 20 Tm [<0001>] TJ',
      '0 0 0 rg 0 Tr /F1 20 Tf 1 0 0 1 20 20 Tm [<0002>] TJ',
      '0 0 0 rg 0 Tr /F2 20 Tf 1 0 0 1 10 20 Tm [<0003>] TJ',
      'ET',
    ])
  })

  it('of struck text draws a line through each run', () => {
    expect(drawLine(lineOf('ab', { struck: true }))?.slice(3)).toEqual(['0 G 0.6 w 10 25.6 m 30 25.6 l S'])
  })
})

describe('serializeObjects', () => {
  it('writes each object where the cross references say, and packs small ones together', async () => {
    const objects: PdfObjects = []
    expect([reserveObject(objects), addObject(objects, '<</B 1>>'), reserveObject(objects)]).toEqual([
      1, 2, 3,
    ])
    setObject(objects, 1, 'é')
    setPackedObject(objects, reserveObject(objects), '<</C 1>>')
    setPackedObject(objects, reserveObject(objects), '<</D 1>>')
    const file = Buffer.from(await serializeObjects(objects, 1, 2)).toString('latin1')
    expect(file.startsWith('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n\xc3\xa9\nendobj\n2 0 obj')).toBe(true)
    const readStream = (number: number) => {
      const [, dictionary = '', data = ''] =
        new RegExp(`\\n${number} 0 obj\\n(<<.*>>)\\nstream\\n([\\s\\S]*?)\\nendstream`).exec(file) ?? []
      return { dictionary, data: inflateSync(Buffer.from(data, 'latin1')) }
    }
    const { dictionary, data } = readStream(7)
    expect(dictionary).toContain('/Type/XRef/Size 8/W[1 4 2]/Root 1 0 R/Info 2 0 R')
    expect(Number(/startxref\n(\d+)\n%%EOF\n$/.exec(file)?.[1])).toBe(file.indexOf('7 0 obj'))
    const entries = Array.from({ length: 8 }, (_, n) => [
      data.readUInt8(n * 7),
      data.readUInt32BE(n * 7 + 1),
      data.readUInt16BE(n * 7 + 5),
    ])
    const offset = (number: number) => [1, file.indexOf(`${number} 0 obj`), 0]
    expect(entries).toEqual([
      [0, 0, 65_535],
      ...[offset(1), offset(2), offset(3)],
      ...[
        [2, 6, 0],
        [2, 6, 1],
      ],
      ...[offset(6), offset(7)],
    ])
    const pack = readStream(6)
    expect(pack.dictionary).toContain('/Type/ObjStm/N 2/First 8')
    expect(pack.data.toString()).toBe('4 0 5 9\n<</C 1>>\n<</D 1>>')
  })

  it('writes texts in UTF-16', () => {
    expect([toUtf16Hex('aé😀'), formatTextString('b')]).toEqual(['006100e9d83dde00', '<feff0062>'])
  })
})

describe('serializeDocument', () => {
  it('writes the pages, the image, and the properties', async () => {
    const document = createDocument(createStubFonts())
    drawOperators(document, 'a')
    document.element = addElement(document.structure, 'P')
    drawImage(document, image, box)
    document.pages.push([])
    drawImage(document, image, box)
    document.bookmarks.push({ title: 'A', level: 1, page: 1, y: 700.4 })
    document.bookmarks.push({ title: 'B', level: 2, page: 1, y: 600 })
    const bytes = await serializeDocument(document, { title: 'T', author: 'Ä', width: 595, height: 842 })
    const file = Buffer.from(bytes).toString('latin1')
    const objects = [...file.matchAll(/\n(\d+) 0 obj\n([\s\S]*?)\nendobj/g)].map(([, number, body = '']) => [
      Number(number),
      body.replace(/\/Length \d+>>\nstream\n[\s\S]*/, '…'),
    ])
    expect(objects).toEqual([
      [
        1,
        '<</Type/Catalog/Pages 2 0 R/Lang(en)/MarkInfo<</Marked true>>/StructTreeRoot 10 0 R/Outlines 14 0 R/Metadata 17 0 R/ViewerPreferences<</DisplayDocTitle true>>>>',
      ],
      [2, '<</Type/Pages/Kids[7 0 R 9 0 R]/Count 2/MediaBox[0 0 595 842]>>'],
      [3, '<</Title <feff0054>/Author <feff00c4>/Producer(Support Flow)>>'],
      [
        4,
        '<</Type/XObject/Subtype/Image/Width 20/Height 10/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/DCTDecode…',
      ],
      [5, '<</Font<<>>/XObject<</I0 4 0 R>>>>'],
      [6, '<</Filter/FlateDecode…'],
      [7, '<</Type/Page/Parent 2 0 R/Resources 5 0 R/Contents 6 0 R/StructParents 0/Tabs/S>>'],
      [8, '<</Filter/FlateDecode…'],
      [9, '<</Type/Page/Parent 2 0 R/Resources 5 0 R/Contents 8 0 R/StructParents 1/Tabs/S>>'],
      [10, '<</Type/StructTreeRoot/K 11 0 R/ParentTree 13 0 R/ParentTreeNextKey 2>>'],
      [14, '<</Type/Outlines/First 15 0 R/Last 15 0 R/Count 1>>'],
      [17, '<</Type/Metadata/Subtype/XML…'],
      [18, '<</Filter/FlateDecode/Type/ObjStm/N 5/First 32…'],
      [19, '<</Filter/FlateDecode/Type/XRef/Size 20/W[1 4 2]/Root 1 0 R/Info 3 0 R…'],
    ])
    const [, pack = ''] = /\n18 0 obj\n<<.*>>\nstream\n([\s\S]*?)\nendstream/.exec(file) ?? []
    expect(inflateSync(Buffer.from(pack, 'latin1')).toString().split('\n').slice(1)).toEqual([
      '<</S/Document/P 10 0 R/K[12 0 R]>>',
      '<</S/P/P 11 0 R/K[<</Type/MCR/Pg 7 0 R/MCID 0>> <</Type/MCR/Pg 9 0 R/MCID 0>>]>>',
      '<</Nums[0[12 0 R]1[12 0 R]]>>',
      '<</Title <feff0041>/Parent 14 0 R/First 16 0 R/Last 16 0 R/Count -1/Dest[9 0 R/XYZ null 700 null]>>',
      '<</Title <feff0042>/Parent 15 0 R/Dest[9 0 R/XYZ null 600 null]>>',
    ])
    expect(file).toContain('/Length 3>>\nstream\n\x01\x02\x03\nendstream')
  })

  it('names each used font', async () => {
    const document = createDocument(createStubFonts())
    drawTextLine(document, lineOf('a'), 0, 0, 10, { colour: '0 0 0' })
    const bytes = await serializeDocument(document, { title: '', author: '', width: 1, height: 1 })
    expect(Buffer.from(bytes).toString('latin1')).toContain('<</Font<</F1 9 0 R>>/XObject<<>>>>')
  })
})
