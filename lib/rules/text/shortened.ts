/** Stands for stored content that takes too much work, or too much room, to be shown. */
export const shortenedMark = '… (shortened: the report is too large)'
