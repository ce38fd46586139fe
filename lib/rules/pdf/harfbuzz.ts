// Calls HarfBuzz, which chooses and positions the glyphs of a text: https://harfbuzz.github.io/. The
// package's own script is not used, because it compiles the wasm at run time, which Workers refuse.

/** A glyph in font units. */
export interface ShapedGlyph {
  id: number
  /** The index of the first character that it belongs to. */
  cluster: number
  advance: number
  dx: number
  dy: number
}

export interface Shaper {
  /** Return the glyphs of a text in one font, from left to right. `fontKey` identifies the font. */
  shape(fontKey: number, font: Uint8Array, text: string, isRightToLeft: boolean): ShapedGlyph[]
}

/** The used functions of HarfBuzz. A pointer is a number. */
interface HarfBuzz {
  memory: WebAssembly.Memory
  __wasm_call_ctors(): void
  malloc(size: number): number
  free(pointer: number): void
  hb_blob_create(data: number, length: number, mode: number, userData: number, destroy: number): number
  hb_face_create(blob: number, index: number): number
  hb_font_create(face: number): number
  hb_buffer_create(): number
  hb_buffer_set_direction(buffer: number, direction: number): void
  hb_buffer_add_utf16(
    buffer: number,
    text: number,
    length: number,
    itemOffset: number,
    itemLength: number,
  ): void
  hb_buffer_guess_segment_properties(buffer: number): void
  hb_shape(font: number, buffer: number, features: number, featureCount: number): void
  hb_buffer_get_glyph_infos(buffer: number, length: number): number
  hb_buffer_get_glyph_positions(buffer: number, length: number): number
  hb_buffer_destroy(buffer: number): void
}

const [leftToRight, rightToLeft] = [4, 5]
/** `HB_MEMORY_MODE_READONLY`. */
const readOnly = 1
/** The size of `hb_glyph_info_t` and of `hb_glyph_position_t`. */
const recordSize = 20
const wasmPageSize = 65_536

/** Create a shaper with its own memory, which is freed as a whole. `compiled` is `harfbuzz.wasm`. */
export function createShaper(compiled: WebAssembly.Module): Shaper {
  const harfBuzz = instantiate(compiled)
  const fontByKey = new Map<number, number>()
  const getFont = (key: number, bytes: Uint8Array): number => {
    const font = fontByKey.get(key) ?? createFont(harfBuzz, bytes)
    fontByKey.set(key, font)
    return font
  }
  return {
    shape: (fontKey, font, text, isRightToLeft) =>
      shape(harfBuzz, getFont(fontKey, font), text, isRightToLeft ? rightToLeft : leftToRight),
  }
}

function instantiate(compiled: WebAssembly.Module): HarfBuzz {
  const growMemory = (size: number): number => {
    const { memory } = harfBuzz
    memory.grow(Math.ceil((size - memory.buffer.byteLength) / wasmPageSize))
    return 1
  }
  const stop = () => {
    throw new Error('HarfBuzz stopped')
  }
  const env = {
    _emscripten_runtime_keepalive_clear() {},
    _abort_js: stop,
    _setitimer_js: () => 0,
    emscripten_resize_heap: growMemory,
  }
  const instance = new WebAssembly.Instance(compiled, { env, wasi_snapshot_preview1: { proc_exit: stop } })
  const harfBuzz = instance.exports as unknown as HarfBuzz
  harfBuzz.__wasm_call_ctors()
  return harfBuzz
}

function createFont(harfBuzz: HarfBuzz, bytes: Uint8Array): number {
  const data = harfBuzz.malloc(bytes.length)
  new Uint8Array(harfBuzz.memory.buffer).set(bytes, data)
  return harfBuzz.hb_font_create(
    harfBuzz.hb_face_create(harfBuzz.hb_blob_create(data, bytes.length, readOnly, 0, 0), 0),
  )
}

function shape(harfBuzz: HarfBuzz, font: number, text: string, direction: number): ShapedGlyph[] {
  // UTF-16, and then the aligned place for a number.
  const characters = harfBuzz.malloc(text.length * 2 + 8)
  const units = new DataView(harfBuzz.memory.buffer)
  for (let index = 0; index < text.length; index++)
    units.setUint16(characters + index * 2, text.charCodeAt(index), true)
  const buffer = harfBuzz.hb_buffer_create()
  harfBuzz.hb_buffer_add_utf16(buffer, characters, text.length, 0, text.length)
  harfBuzz.hb_buffer_set_direction(buffer, direction)
  harfBuzz.hb_buffer_guess_segment_properties(buffer)
  harfBuzz.hb_shape(font, buffer, 0, 0)
  const glyphs = readGlyphs(harfBuzz, buffer, (characters + text.length * 2 + 3) & ~3)
  harfBuzz.hb_buffer_destroy(buffer)
  harfBuzz.free(characters)
  return glyphs
}

function readGlyphs(harfBuzz: HarfBuzz, buffer: number, lengthPointer: number): ShapedGlyph[] {
  const infos = harfBuzz.hb_buffer_get_glyph_infos(buffer, lengthPointer)
  const positions = harfBuzz.hb_buffer_get_glyph_positions(buffer, 0)
  // Shaping may have replaced the memory.
  const view = new DataView(harfBuzz.memory.buffer)
  return Array.from({ length: view.getUint32(lengthPointer, true) }, (_, index) => {
    const info = infos + index * recordSize
    const position = positions + index * recordSize
    return {
      id: view.getUint32(info, true),
      cluster: view.getUint32(info + 8, true),
      advance: view.getInt32(position, true),
      dx: view.getInt32(position + 8, true),
      dy: view.getInt32(position + 12, true),
    }
  })
}
