/** Bodies that several processes keep, so that they share their bytes. */

export const makeSharedBody = (number: number): Buffer => Buffer.from(`shared ${number}\n`.repeat(100 * (1 + number)));
