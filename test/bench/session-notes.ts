export const stepCount = 100

/** Typical notes of technicians: mostly plain text, with some personal data that masking replaces. */
const noteTexts = [
  'The printer answers, but its queue does not empty; two jobs of Monday are stuck in it.',
  'Pinged 10.0.8.21 four times: 4 of 4 came back, 2 ms each.\nThe web page of the panel opens as well.',
  'Restarted the spooler. Asked Dana (dana@contoso.com) to print a test page, which came out at once.',
  'Nothing found here.',
  'Copied the driver 31.0.15.5222 from \\\\fs01\\drivers\\hp and installed it again; the old one was from 2021 and is gone now.',
]

/** One note for each step of the session. */
export const notes = Array.from({ length: stepCount }, (_, n) => `${noteTexts[n % noteTexts.length]} (${n})`)
