import { pause, spend } from '#rules/budget.ts'
import { concatBytes } from '#rules/text/bytes.ts'
import { ArticleError } from './blocks.ts'
import { countLoss, createLosses, type Losses, loseLetters, mergeLosses } from './losses.ts'
import { maxStreamBytes, type PdfFile, type PdfPage, tooLargePdf } from './pdf-file.ts'
import { type PdfFont, readFont } from './pdf-fonts.ts'
import {
  type Box,
  identity,
  intersect,
  type Matrix,
  multiply,
  rotate,
  surround,
  toX,
  translate,
} from './pdf-geometry.ts'
import { readLayers } from './pdf-layers.ts'
import {
  createPdfParser,
  isName,
  isRef,
  isString,
  isWord,
  type PdfDict,
  type PdfParser,
  type PdfValue,
} from './pdf-syntax.ts'

// Reads where a page shows which text: ISO 32000-1, 8.4 and 9.4.

/** A piece of text of one font. The origin of the page is at its lower left. */
export interface PdfRun {
  text: string
  x: number
  endX: number
  y: number
  size: number
  isBold: boolean
  isMonospaced: boolean
}

interface TextState {
  matrix: Matrix
  /** What is painted at most: the rectangle around each path that limits it; null is all of the page. */
  clip: Box | null
  font: PdfFont | null
  size: number
  characterSpace: number
  wordSpace: number
  scale: number
  leading: number
  rise: number
  isInvisible: boolean
}

interface Interpreter {
  file: PdfFile
  losses: Losses
  /** What was read already: fonts by their dictionary, and pictures by the number of their object. */
  fonts: Map<PdfDict | undefined, PdfFont>
  pictures: Set<number>
  /** The forms that are being drawn, by the number of their object. */
  openForms: Set<number>
  runs: PdfRun[]
  /** Texts that are not painted, such as those that were recognized in a scan. */
  invisibleRuns: PdfRun[]
  /** Whether a layer of the file is switched off. */
  isOff: (layer: PdfValue | undefined) => boolean
  /** How many parts of the page are open that are switched off, and whether they have texts. */
  openOff: number
  hasOffTexts: boolean
  /** Whether a large picture is on the page. */
  hasPicture: boolean
  /** How many characters run in each direction: to the right, up, to the left and down. */
  directions: [number, number, number, number]
  sloping: number
  /** Small painted shapes, pictures and signs without a letter, which may be bullets. */
  shapes: Box[]
  /** Bytes of memory of the texts of the page, and of the forms that are being drawn. */
  held: number
}

/** Steps of placing a text, beside those of its values and of the line that it becomes a part of. */
const showSteps = 27
/** What the texts of a page may take. A full page of small print takes a hundredth. */
const maxPageBytes = 32 * 1024 * 1024
/** Bytes of memory of a character that is appended to a text, and of a piece of text with its place. */
const [glyphBytes, runBytes] = [40, 150]

function hold(interpreter: Interpreter, bytes: number): void {
  interpreter.held += bytes
  if (interpreter.held > maxPageBytes) throw new ArticleError('The PDF has a page with too many texts')
}

/** A page as a person reads it: its texts, and what is seen of it in their coordinates; null if the file does not say. */
export interface PdfPageTexts {
  runs: PdfRun[]
  box: Box | null
}

export function createPageReader(file: PdfFile, losses: Losses): (page: PdfPage) => Promise<PdfPageTexts> {
  const fonts: Interpreter['fonts'] = new Map()
  const isOff = readLayers(file)
  let pictures = new Set<number>()
  return async (page) => {
    const content = await readContents(file, losses, page)
    const read = async (turn: number) => {
      spend(pictures.size)
      const interpreter: Interpreter = {
        file,
        losses: createLosses(),
        fonts,
        pictures: new Set(pictures),
        openForms: new Set(),
        runs: [],
        invisibleRuns: [],
        isOff,
        openOff: 0,
        hasOffTexts: false,
        hasPicture: false,
        directions: [0, 0, 0, 0],
        sloping: 0,
        shapes: [],
        held: 0,
      }
      const matrix = rotate(turn)
      await runContent(interpreter, content, file.readDict(page.get('Resources')), matrix, null, 0)
      await drawFields(interpreter, page, matrix)
      return interpreter
    }
    const turn = file.readNumber(page.get('Rotate')) ?? 0
    let result = await read(turn)
    // A table that is wider than its page is often put on it sideways.
    const { directions } = result
    const direction = directions.reduce(
      (most, count, index) => (count > (directions[most] ?? 0) ? index : most),
      0,
    )
    if (direction > 0) result = await read(turn + direction * 90)
    const { runs, invisibleRuns, hasOffTexts, hasPicture, shapes, sloping } = result
    const box = readPageBox(file, page, turn + direction * 90)
    mergeLosses(losses, result.losses)
    pictures = result.pictures
    for (let n = 0; n < sloping; n++) countLoss(losses, 'sloping')
    const isScan = hasPicture || runs.length === 0
    if (hasOffTexts || (!isScan && invisibleRuns.some(({ text }) => text.trim() !== '')))
      countLoss(losses, 'hidden')
    const drawn = isScan ? [...runs, ...invisibleRuns] : runs
    // Beside the box are the marks of printers, and what nobody sees.
    const isSeen = (run: PdfRun) => box === null || isInside(run, box)
    if (drawn.some((run) => run.text.trim() !== '' && !isSeen(run))) countLoss(losses, 'hidden')
    return { runs: addBullets(leaveOutCopies(drawn.filter(isSeen)), shapes), box }
  }
}

/** Return what a viewer shows of a page that is turned by so many degrees: ISO 32000-1, 14.11.2. */
function readPageBox(file: PdfFile, page: PdfPage, turn: number): Box | null {
  const matrix = rotate(turn)
  return ['MediaBox', 'CropBox'].reduce<Box | null>((outer, key) => {
    const box = readBox(file, page.get(key), matrix)
    const shared = box && intersect(outer, box)
    return shared && shared.left < shared.right ? shared : outer
  }, null)
}

/** Return the rectangle of two corners; null if the file does not say it. */
function readBox(file: PdfFile, value: PdfValue | undefined, matrix: Matrix): Box | null {
  const sides = file.readArray(value).slice(0, 4)
  if (sides.length < 4) return null
  const [x = 0, y = 0, otherX = 0, otherY = 0] = sides.map((side) => file.readNumber(side) ?? 0)
  return surround(matrix, listCorners(x, y, otherX, otherY))
}

const listCorners = (x: number, y: number, otherX: number, otherY: number): [number, number][] => [
  [x, y],
  [otherX, y],
  [x, otherY],
  [otherX, otherY],
]

/** Return whether a part of a text is in a box. */
const isInside = ({ x, endX, y, size }: PdfRun, { left, right, bottom, top }: Box) =>
  endX >= left && x <= right && y + size > bottom && y < top

async function readContents(file: PdfFile, losses: Losses, page: PdfPage): Promise<Uint8Array<ArrayBuffer>> {
  const contents = file.resolve(page.get('Contents'))
  const parts = Array.isArray(contents) ? contents : [page.get('Contents')]
  const texts: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  for (const part of parts) {
    spend(100)
    const stream = file.findStream(part)
    const content = stream ? await file.readStream(stream) : null
    if (stream && !content) countLoss(losses, 'stream')
    size += content?.length ?? 0
    if (size > maxStreamBytes) throw new ArticleError(tooLargePdf)
    if (content) texts.push(content, new Uint8Array([10]))
    await pause()
  }
  return concatBytes(texts)
}

const maxCopies = 8
const stepsPerRun = 5

/** Leave out a text that is drawn again at nearly the same place, to look bold or to have a shadow. */
function leaveOutCopies(runs: readonly PdfRun[]): PdfRun[] {
  const placesByText = new Map<string, PdfRun[]>()
  spend(runs.length * stepsPerRun)
  return runs.filter((run) => {
    const places = placesByText.get(run.text)
    if (!places) {
      placesByText.set(run.text, [run])
      return true
    }
    const near = run.size / 10
    const isCopy =
      run.text.trim() !== '' &&
      places.some(({ x, y }) => Math.abs(x - run.x) < near && Math.abs(y - run.y) < near)
    // The newest are kept.
    if (places.length === maxCopies) places.shift()
    places.push(run)
    return !isCopy
  })
}

const maxFields = 1000
/** Hidden, and not shown on a screen: ISO 32000-1, 12.5.3. */
const hiddenFlags = 2 | 32

/** Draw what was filled into the fields of a form, and texts that were put on the page, beside what they are at. */
async function drawFields(interpreter: Interpreter, page: PdfPage, matrix: Matrix): Promise<void> {
  const { file } = interpreter
  for (const item of file.readArray(page.get('Annots')).slice(0, maxFields)) {
    spend(100)
    const dict = file.readDict(item)
    const isHidden = ((file.readNumber(dict?.get('F')) ?? 0) & hiddenFlags) !== 0
    if (
      !dict ||
      isHidden ||
      interpreter.isOff(dict.get('OC')) ||
      !/^(?:Widget|FreeText)$/.test(file.readName(dict.get('Subtype')) ?? '')
    )
      continue
    const normal = file.readDict(dict.get('AP'))?.get('N')
    // Of a box to tick, there is an appearance for each state.
    const value = file.findStream(normal)
      ? normal
      : file.readDict(normal)?.get(file.readName(dict.get('AS')) ?? '')
    const box = file.readArray(file.findStream(value)?.dict.get('BBox')).slice(0, 4)
    const rectangle = file.readArray(dict.get('Rect')).slice(0, 4)
    const [left = 0, bottom = 0] = rectangle.map((side) => file.readNumber(side) ?? 0)
    const [boxLeft = 0, boxBottom = 0] = box.map((side) => file.readNumber(side) ?? 0)
    const { runs } = interpreter
    const added: PdfRun[] = []
    interpreter.runs = added
    const moved = translate(matrix, left - boxLeft, bottom - boxBottom)
    await drawForm(interpreter, value, undefined, moved, null, 0)
    interpreter.runs = runs
    const [first] = added
    if (!first) continue
    // Each text is compared, and each that is added moves those behind it.
    spend(runs.length * 3 + added.length * (10 + runs.length / 10))
    const beside = runs.findLastIndex(
      (run) => Math.abs(run.y - first.y) < 0.45 * Math.max(run.size, first.size),
    )
    const at = beside < 0 ? runs.length : beside + 1
    for (const [index, run] of added.entries()) runs.splice(at + index, 0, run)
  }
}

/** The size of a drawn bullet in points, and how many a page may have. */
const [minBullet, maxBullet, maxShapes] = [1, 10, 400]

function addShape({ shapes }: Interpreter, shape: Box): void {
  const size = Math.max(shape.right - shape.left, shape.top - shape.bottom)
  if (size >= minBullet && size <= maxBullet && shapes.length < maxShapes) shapes.push(shape)
}

/**
 * Put a bullet before each line that has a small shape left of it. Browsers draw the bullets of a list instead
 * of writing them.
 */
function addBullets(runs: readonly PdfRun[], shapes: readonly Box[]): PdfRun[] {
  // A text may be as long as its page.
  const visibleRuns = runs.filter(({ text }) => text.trim() !== '')
  spend(runs.length + visibleRuns.length * shapes.length * 2)
  const bulletByRun = new Map<PdfRun, PdfRun>()
  for (const { left, right, bottom, top } of shapes) {
    const isBeside = ({ y, size }: PdfRun) => bottom >= y - size * 0.1 && top <= y + size * 0.9
    const beside = visibleRuns.filter((run) => isBeside(run) && top - bottom < run.size * 0.6)
    const first = beside.reduce<PdfRun | undefined>((a, b) => (a && a.x <= b.x ? a : b), undefined)
    // A sign without a letter that stands close to others is a part of their word.
    const gap = first ? (first.x - right) / first.size : -1
    const isBefore = first && gap > 0.1 && gap < 3
    if (isBefore) bulletByRun.set(first, { ...first, text: '•', x: left, endX: right })
  }
  return runs.flatMap((run) => {
    const bullet = bulletByRun.get(run)
    return bullet ? [bullet, run] : run
  })
}

const maxFormDepth = 10
/** Steps of starting to draw a form, besides those of its content. */
const formSteps = 1200
/** Steps of a place of its own for a text. Most texts follow the one before. */
const placeSteps = 100
const maxStates = 1000
const maxOperands = 1000
const operatorsPerPause = 1000

async function runContent(
  interpreter: Interpreter,
  content: Uint8Array<ArrayBuffer>,
  resources: PdfDict | undefined,
  matrix: Matrix,
  clip: Box | null,
  depth: number,
): Promise<void> {
  const { file, runs } = interpreter
  const parser = createPdfParser(content)
  const states: TextState[] = []
  let state: TextState = {
    matrix,
    clip,
    font: null,
    size: 0,
    characterSpace: 0,
    wordSpace: 0,
    scale: 1,
    leading: 0,
    rise: 0,
    isInvisible: false,
  }
  let line: Matrix = identity
  let place: Matrix = identity
  const operands: PdfValue[] = []
  let operatorCount = 0
  const number = (index: number) => (typeof operands[index] === 'number' ? (operands[index] as number) : 0)
  const readMatrix = (): Matrix => [number(0), number(1), number(2), number(3), number(4), number(5)]
  const move = (x: number, y: number) => {
    line = translate(line, x, y)
    place = line
  }
  const show = (value: PdfValue | undefined) => {
    if (!isString(value) || !state.font) return
    const shown = showText(interpreter, state, place, state.font, value.bytes)
    const isOff = interpreter.openOff > 0 || (shown.run && state.clip && !isInside(shown.run, state.clip))
    if (shown.run && isOff) interpreter.hasOffTexts ||= shown.run.text.trim() !== ''
    else if (shown.run) (state.isInvisible ? interpreter.invisibleRuns : runs).push(shown.run)
    place = shown.place
  }
  /** How many marked parts are open, and the number of the outermost one that is switched off. */
  let [marks, offMark] = [0, 0]
  const openMark = (layer?: PdfValue) => {
    marks++
    if (offMark > 0 || !interpreter.isOff(layer)) return
    offMark = marks
    interpreter.openOff++
  }
  const closeOff = () => {
    if (offMark > 0) interpreter.openOff--
    offMark = 0
  }
  let path: Box | null = null
  let isClip = false
  const extend = (places: readonly [number, number][]) => {
    path = surround(state.matrix, places, path ?? undefined)
  }
  const endPath = () => {
    if (isClip && path) state.clip = intersect(state.clip, path)
    path = null
    isClip = false
  }
  const paint = () => {
    const { left, right, bottom, top } = path ?? { left: 0, right: 0, bottom: 0, top: 0 }
    const [width, height] = [right - left, top - bottom]
    if (Math.abs(width - height) < width / 4) addShape(interpreter, { left, right, bottom, top })
    endPath()
  }
  /** A picture fills the unit square: ISO 32000-1, 8.9.5. */
  const paintPicture = () => {
    const unitSquare: [number, number][] = [
      [0, 0],
      [1, 1],
    ]
    addShape(interpreter, surround(state.matrix, unitSquare))
    path = null
  }
  const set = (change: Partial<TextState>) => void Object.assign(state, change)
  const operators: Record<string, () => void | Promise<void>> = {
    q: () => void (states.length < maxStates && states.push({ ...state })),
    Q: () => {
      state = states.pop() ?? state
    },
    cm: () => {
      state.matrix = multiply(readMatrix(), state.matrix)
    },
    BT: () => {
      line = identity
      place = identity
    },
    Tf: () => {
      state.size = number(1)
      const font = findFontDict(file, resources, operands[0])
      state.font = interpreter.fonts.get(font) ?? null
      return state.font ? undefined : loadFont(font)
    },
    Tc: () => set({ characterSpace: number(0) }),
    Tw: () => set({ wordSpace: number(0) }),
    Tz: () => set({ scale: number(0) / 100 }),
    TL: () => set({ leading: number(0) }),
    Ts: () => set({ rise: number(0) }),
    // 3 paints nothing, 7 only clips.
    Tr: () => set({ isInvisible: number(0) === 3 || number(0) === 7 }),
    Td: () => move(number(0), number(1)),
    TD: () => {
      state.leading = -number(1)
      move(number(0), number(1))
    },
    Tm: () => {
      spend(placeSteps)
      line = readMatrix()
      place = line
    },
    'T*': () => move(0, -state.leading),
    Tj: () => show(operands[0]),
    "'": () => {
      move(0, -state.leading)
      show(operands[0])
    },
    '"': () => {
      state.wordSpace = number(0)
      state.characterSpace = number(1)
      move(0, -state.leading)
      show(operands[2])
    },
    TJ: () => {
      for (const item of Array.isArray(operands[0]) ? operands[0] : []) {
        if (typeof item === 'number') place = translate(place, (-item / 1000) * state.size * state.scale, 0)
        else show(item)
      }
    },
    m: () => extend([[number(0), number(1)]]),
    l: () => extend([[number(0), number(1)]]),
    c: () =>
      extend([
        [number(0), number(1)],
        [number(2), number(3)],
        [number(4), number(5)],
      ]),
    v: () =>
      extend([
        [number(0), number(1)],
        [number(2), number(3)],
      ]),
    y: () =>
      extend([
        [number(0), number(1)],
        [number(2), number(3)],
      ]),
    re: () => extend(listCorners(number(0), number(1), number(0) + number(2), number(1) + number(3))),
    W: () => {
      isClip = true
    },
    'W*': () => {
      isClip = true
    },
    n: () => endPath(),
    BMC: () => openMark(),
    BDC: () => {
      const [tag, name] = operands
      const layers =
        isName(tag) && tag.name === 'OC' ? file.readDict(resources?.get('Properties')) : undefined
      openMark(isName(name) ? layers?.get(name.name) : undefined)
    },
    EMC: () => {
      if (marks === offMark) closeOff()
      marks = Math.max(0, marks - 1)
    },
    ID: () => {
      paintPicture()
      skipInlineImage(content, parser)
    },
    Do: () => drawObject(interpreter, resources, operands[0], state, depth, paintPicture),
  }
  for (const operator of ['f', 'F', 'f*', 'B', 'B*', 'b', 'b*', 'S', 's']) operators[operator] = paint
  const operations = new Map(Object.entries(operators))
  for (let value = parser.next(); value !== undefined; value = parser.next()) {
    if (!isWord(value)) {
      if (operands.length < maxOperands) operands.push(value)
      continue
    }
    // Most operators do not wait.
    const done = operations.get(value.word)?.()
    if (done) await done
    operands.length = 0
    parser.held = 0
    if (++operatorCount % operatorsPerPause === 0) await pause()
  }
  closeOff()
  await pause()

  async function loadFont(dict: PdfDict | undefined): Promise<void> {
    const font = await readFont(file, dict)
    interpreter.fonts.set(dict, font)
    state.font = font
  }
}

const findFontDict = (file: PdfFile, resources: PdfDict | undefined, name: PdfValue | undefined) =>
  isName(name) ? file.readDict(file.readDict(resources?.get('Font'))?.get(name.name)) : undefined

/**
 * Return the text of a string and where it is, and where the next one starts. A text that is not level, such
 * as a stamp, is left out.
 */
function showText(
  interpreter: Interpreter,
  state: TextState,
  place: Matrix,
  font: PdfFont,
  codes: string,
): { run: PdfRun | null; place: Matrix } {
  let text = ''
  let shown = ''
  let unknownCount = 0
  let advance = 0
  hold(interpreter, runBytes)
  font.decode(codes, (glyph) => {
    hold(interpreter, glyphBytes + glyph.text.length * 2)
    text += glyph.text
    if (glyph.text === '') unknownCount++
    if (shown.length < maxExampleLength) shown += glyph.text || '\ufffd'
    advance +=
      (glyph.width * state.size + state.characterSpace + (glyph.isSpace ? state.wordSpace : 0)) * state.scale
  })
  spend(showSteps + text.length)
  const next = translate(place, advance, 0)
  const raised = multiply(translate(place, 0, state.rise), state.matrix)
  const [a, b, c, d] = [raised[0], raised[1], raised[2], raised[3]]
  const [x, y] = [raised[4], raised[5]]
  const endX = toX(state.matrix, next[4], next[5])
  const size = Math.hypot(c, d) * Math.abs(state.size)
  const isLevel = a > 0 && Math.abs(b) < a / 4
  if (!isLevel && text.trim() !== '') interpreter.sloping++
  const direction = isLevel ? 0 : findDirection(a, b)
  if (direction !== null) interpreter.directions[direction] += text.length
  const isPlaced = isLevel && size > 0.5 && Number.isFinite(x + y + endX + size)
  const isReadable = isPlaced && text !== ''
  // A sign without a letter may be a bullet. It is counted all the same, because it may say more.
  if (isPlaced && text === '') addShape(interpreter, { left: x, right: endX, bottom: y, top: y + size / 2 })
  if (isPlaced && unknownCount > 0) loseLetters(interpreter.losses, unknownCount, shown)
  return {
    run: isReadable ? { text, x, endX, y, size, isBold: font.isBold, isMonospaced: font.isMonospaced } : null,
    place: next,
  }
}

/** Return to where a text runs by right angles: 0 to the right, 1 up, 2 to the left, 3 down; null in between. */
function findDirection(a: number, b: number): 0 | 1 | 2 | 3 | null {
  if (Math.abs(b) < -a / 4) return 2
  return Math.abs(a) < Math.abs(b) / 4 ? (b > 0 ? 1 : 3) : null
}

/** The characters of a text around a letter that has no Unicode value. */
const maxExampleLength = 60

/** Skip the data of a picture, up to `EI` between white space. */
function skipInlineImage(content: Uint8Array, parser: PdfParser): void {
  const start = parser.at
  const isSpace = (byte: number | undefined) => byte === undefined || byte === 32 || (byte >= 9 && byte <= 13)
  while (parser.at < content.length) {
    const at = parser.at++
    if (
      content[at] === 0x45 &&
      content[at + 1] === 0x49 &&
      isSpace(content[at - 1]) &&
      isSpace(content[at + 2])
    )
      break
  }
  parser.at++
  spend(parser.at - start)
}

/** Draw a form, or count a picture. */
async function drawObject(
  interpreter: Interpreter,
  resources: PdfDict | undefined,
  name: PdfValue | undefined,
  { matrix, clip }: TextState,
  depth: number,
  paintPicture: () => void,
): Promise<void> {
  const { file, pictures, losses } = interpreter
  const value = isName(name) ? file.readDict(resources?.get('XObject'))?.get(name.name) : undefined
  const stream = file.findStream(value)
  if (!stream || !isRef(value)) return
  const { dict } = stream
  const isShown = interpreter.openOff === 0 && !interpreter.isOff(dict.get('OC'))
  if (isShown && file.readName(dict.get('Subtype')) === 'Image') {
    paintPicture()
    // The mask of another picture, and a rule or a dot, are no pictures to a reader.
    const isLarge =
      (file.readNumber(dict.get('Width')) ?? 0) > 64 && (file.readNumber(dict.get('Height')) ?? 0) > 32
    interpreter.hasPicture ||= isLarge
    if (isLarge && !pictures.has(value.ref)) countLoss(losses, 'picture')
    if (isLarge) pictures.add(value.ref)
  }
  if (file.readName(dict.get('Subtype')) === 'Form')
    await drawForm(interpreter, value, resources, matrix, clip, depth)
}

async function drawForm(
  interpreter: Interpreter,
  value: PdfValue | undefined,
  resources: PdfDict | undefined,
  matrix: Matrix,
  clip: Box | null,
  depth: number,
): Promise<void> {
  const { file, openForms, losses } = interpreter
  spend(formSteps)
  const stream = file.findStream(value)
  if (!stream || !isRef(value) || depth >= maxFormDepth || openForms.has(value.ref)) return
  const { dict } = stream
  const content = await file.readStream(stream)
  if (!content) return countLoss(losses, 'stream')
  const isOff = interpreter.isOff(dict.get('OC'))
  if (isOff) interpreter.openOff++
  hold(interpreter, content.length)
  const own = file.readArray(dict.get('Matrix'))
  const formMatrix =
    own.length === 6
      ? multiply(own.map((item) => file.readNumber(item) ?? 0) as unknown as Matrix, matrix)
      : matrix
  const box = readBox(file, dict.get('BBox'), formMatrix)
  openForms.add(value.ref)
  await runContent(
    interpreter,
    content,
    file.readDict(dict.get('Resources')) ?? resources,
    formMatrix,
    box ? intersect(clip, box) : clip,
    depth + 1,
  )
  openForms.delete(value.ref)
  if (isOff) interpreter.openOff--
  interpreter.held -= content.length
}
