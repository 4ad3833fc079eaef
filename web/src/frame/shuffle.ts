// Checks the shuffle in the browser: see "Checking the shuffles" in docs/api.md.
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import type { ChanceProof } from "../wire";

/** Whether the commitment is the hash of the secret. */
export const isSecretOf = (secret: string, commitment: string): boolean =>
  bytesToHex(sha256(hexToBytes(secret))) === commitment;

/** The outcome of chance that follows from the secret at one point of the log. */
export function outcome(secret: string, at: number, outcomes: number[], odds: number[]): number {
  const total = odds.reduce((sum, width) => sum + BigInt(width), 0n);
  const fair = 2n ** 64n - (2n ** 64n % total);
  for (let n = 0; ; n++) {
    const mac = hmac(sha256, hexToBytes(secret), utf8ToBytes(`${at} ${n}`));
    const x = BigInt("0x" + bytesToHex(mac.slice(0, 8)));
    if (x >= fair) continue;
    let k = x % total;
    for (let i = 0; ; i++) {
      k -= BigInt(odds[i]!);
      if (k < 0n) return outcomes[i]!;
    }
  }
}

/** The points of the log whose outcome does not follow from the secret. */
export const wrongOutcomes = (secret: string, proofs: ChanceProof[]): number[] =>
  proofs.filter((one) => outcome(secret, one.at, one.outcomes, one.odds) !== one.action).map((one) => one.at);
