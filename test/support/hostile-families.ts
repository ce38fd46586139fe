import { namedParts } from './format-names.ts'
import { type Format, formats, type HostileFile, maxTextLength, numberPart } from './hostile-files.ts'

// Files in which one part of a format repeats. The generator of structures mixes a few of them at random; here
// each has its turn, so that none is missed.

type Shape = 'repeated' | 'on one line' | 'nested'

/** Each part that a format has, alone: repeated, without its lines, and in itself. */
export function listFamilies(name: string): { place: string; part: string; shape: Shape }[] {
  const { places } = formats[name] as Format
  return Object.entries(places).flatMap(([place, some]) =>
    [...new Set([...some, ...(namedParts[name]?.[place] ?? [])])].flatMap((part) => {
      const shapes: Shape[] = ['repeated']
      if (part.trim().includes('\n')) shapes.push('on one line')
      if (part.includes('…')) shapes.push('nested')
      return shapes.map((shape) => ({ place, part, shape }))
    }),
  )
}

/** Create the file of a family. `size` is how often its part repeats. */
export function createFamilyFile(name: string, index: number, size: number): HostileFile {
  const { places, build } = formats[name] as Format
  const { place, part, shape } = listFamilies(name)[index] as ReturnType<typeof listFamilies>[number]
  const source = shape === 'on one line' ? part.replaceAll('\n', ' ') : part
  // A file may be as high as it is wide.
  const columns = Math.ceil(Math.sqrt(size))
  const [open = '', close] = source.split('…')
  const write = (piece: string): string[] => {
    const pieces: string[] = []
    for (let at = 0, length = 0; at < size && length < maxTextLength; at++) {
      pieces.push(numberPart(piece, at, columns))
      length += pieces.at(-1)?.length ?? 0
    }
    return pieces
  }
  const text =
    shape === 'nested'
      ? write(open).join('') +
        write(close ?? '')
          .reverse()
          .join('')
      : write(close === undefined ? open : `${open}a${close}`).join('')
  const texts = Object.fromEntries(Object.keys(places).map((key) => [key, key === place ? text : '']))
  return { ...build(texts), bytes: text.length, structure: `${place}: ${shape} ${part}` }
}
