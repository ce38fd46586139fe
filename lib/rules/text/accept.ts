const quality = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/

/**
 * Return the quality that an Accept header gives a media type, or a range that contains it; 0 if it names
 * neither: https://www.rfc-editor.org/rfc/rfc9110#section-12.4.2. The most exact range counts.
 */
function findQuality(accept: string, names: readonly string[]): number {
  const ranges = accept
    .toLowerCase()
    .split(',', 100)
    .map((range) => range.split(';').map((part) => part.trim()))
  for (const name of names) {
    const found = ranges.find(([range]) => range === name)
    if (!found) continue
    const weight = found.slice(1).find((parameter) => parameter.startsWith('q='))
    return weight === undefined ? 1 : Number(quality.exec(weight)?.[1] ?? 0)
  }
  return 0
}

/**
 * Return whether an Accept header names a media type and wants it at least as much as JSON, which every
 * operation has.
 */
export function prefersType(accept: string, type: string): boolean {
  const wanted = findQuality(accept, [type])
  return wanted > 0 && wanted >= findQuality(accept, ['application/json', 'application/*', '*/*'])
}

/** Return whether an Accept header admits a media type, also by a range. An empty one admits every type. */
export function admitsType(accept: string, type: string): boolean {
  return accept.trim() === '' || findQuality(accept, [type, `${type.split('/')[0]}/*`, '*/*']) > 0
}
