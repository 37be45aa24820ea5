"""An index run: split, enrich, embed, commit; on a lower rung of the fallback ladder where it fails."""
