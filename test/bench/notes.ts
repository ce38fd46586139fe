export const stepCount = 100

/** What technicians note: most of it ordinary words, a part of it to be masked. */
const noted = [
  'The printer answers, but its queue does not empty; two jobs of Monday are stuck in it.',
  'Pinged 10.0.8.21 four times: 4 of 4 came back, 2 ms each.\nThe web page of the panel opens as well.',
  'Restarted the spooler. Asked Dana (dana@contoso.com) to print a test page, which came out at once.',
  'Nothing found here.',
  'Copied the driver 31.0.15.5222 from \\\\fs01\\drivers\\hp and installed it again; the old one was from 2021 and is gone now.',
]

/** The notes of a session of a hundred steps. */
export const notes = Array.from({ length: stepCount }, (_, n) => `${noted[n % noted.length]} (${n})`)
