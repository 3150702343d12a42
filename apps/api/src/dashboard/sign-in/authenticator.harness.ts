import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";

type Flaws = {
  readonly origin?: string;
  readonly host?: string;
  /** Whether the device did not check who holds it. */
  readonly isUnverified?: boolean;
  readonly challenge?: string;
};

const sha256 = (data: Buffer | string) => createHash("sha256").update(data).digest();
const base64url = (data: Buffer | string) => Buffer.from(data).toString("base64url");
const uint16 = (value: number) => Buffer.from([value >> 8, value & 255]);

/** Makes a device with one passkey (WebAuthn, sections 6.1 and 6.5), as a browser at `origin` shows it. */
export function makePasskey({ origin, host, id = randomBytes(20) }: { origin: string; host: string; id?: Buffer }) {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const coordinates = [Buffer.from("215820", "hex"), Buffer.from(x, "base64url"), Buffer.from("225820", "hex")];
  const key = Buffer.concat([Buffer.from("a5010203262001", "hex"), ...coordinates, Buffer.from(y, "base64url")]);
  let counter = 0;

  const clientData = (type: string, challenge: string, flaws: Flaws) =>
    JSON.stringify({ type, challenge: flaws.challenge ?? challenge, origin: flaws.origin ?? origin });
  const device = (flags: number, flaws: Flaws) => {
    const head = Buffer.from([flaws.isUnverified ? flags & ~4 : flags, 0, 0, 0, ++counter]);
    return Buffer.concat([sha256(flaws.host ?? host), head]);
  };
  const shown = (response: object) => ({
    ...{ id: base64url(id), rawId: base64url(id), type: "public-key", clientExtensionResults: {}, response },
  });

  return {
    id,
    /** Answers the options of a new passkey. */
    create({ challenge }: { challenge: string }, flaws: Flaws = {}) {
      const data = Buffer.concat([device(0x45, flaws), Buffer.alloc(16), uint16(id.length), id, key]);
      const head = Buffer.from("a363666d74646e6f6e656761747453746d74a068617574684461746159", "hex");
      return shown({
        clientDataJSON: base64url(clientData("webauthn.create", challenge, flaws)),
        attestationObject: base64url(Buffer.concat([head, uint16(data.length), data])),
        transports: ["internal"],
      });
    },
    /** Signs a challenge. */
    get({ challenge }: { challenge: string }, flaws: Flaws = {}) {
      const [data, client] = [device(0x05, flaws), clientData("webauthn.get", challenge, flaws)];
      return shown({
        clientDataJSON: base64url(client),
        authenticatorData: base64url(data),
        signature: base64url(sign("sha256", Buffer.concat([data, sha256(client)]), privateKey)),
      });
    },
  };
}
