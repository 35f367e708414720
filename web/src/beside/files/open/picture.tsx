/** A picture of the project, shown as one: its bytes are fetched, so that nothing in it can be anything else. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { bytes } from "../../../texts/figures.js";
import { texts } from "../../../texts/texts.js";
import { pictureType } from "../../../ui/picture-type.js";
import { Empty } from "../../empty.js";
import type { Disk } from "../disk.js";

export function Picture({ disk, path, version }: { disk: Disk; path: string; version: string }) {
  const { files } = texts.beside;
  const { data, error } = useQuery({
    queryKey: ["picture", disk.projectId, path, version],
    queryFn: ({ signal }) => disk.bytes(path, signal),
    gcTime: 0,
  });
  const [address, setAddress] = useState("");
  const [size, setSize] = useState("");
  const [broken, setBroken] = useState(false);
  useEffect(() => {
    if (!data) return;
    const made = URL.createObjectURL(new Blob([data], { type: pictureType(path) ?? "" }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [data, path]);
  if (error) return <p className="p-4 text-sm text-bad">{error.message}</p>;
  if (broken) return <Empty title={files.binary} hint={files.binaryHint(bytes(data?.size ?? 0))} />;
  return (
    <figure className="flex min-h-0 flex-1 flex-col items-center justify-center gap-2 overflow-auto bg-sunken p-4">
      {address && (
        <img
          src={address}
          alt={files.picture(path)}
          className="max-h-full min-h-0 max-w-full object-contain"
          onError={() => setBroken(true)}
          onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
            setSize(files.pictureSize(naturalWidth, naturalHeight))
          }
        />
      )}
      <figcaption className="text-xs text-ink-2">
        {size}
        {data && ` · ${bytes(data.size)}`}
      </figcaption>
    </figure>
  );
}
